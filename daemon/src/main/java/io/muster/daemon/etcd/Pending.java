package io.muster.daemon.etcd;

import io.muster.daemon.journal.JournalLines;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Outcome;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Batches whose outcomes are reported together, in the order of their submission. */
final class Pending {
    private final List<Batch> batches = new ArrayList<>();
    private final List<@Nullable Outcome> outcomes = new ArrayList<>();

    private final List<List<byte[]>> commands = new ArrayList<>();
    private long last;

    /**
     * Takes batches from a queue, up to the size of a group.
     *
     * @param first the seq with which the first batch must begin
     * @param trouble why an earlier batch failed, for batches that were decided on it
     */
    static Pending of(Deque<Batch> waiting, long first, String trouble) {
        Pending pending = new Pending();
        pending.last = first - 1;
        int bytes = 0;
        while (!waiting.isEmpty() && bytes < Pack.PIECE) {
            Batch batch = waiting.remove();
            boolean inStep = batch.size() == 0 || batch.firstSeq() == pending.last + 1;
            pending.add(batch, inStep ? null : Outcome.abandoned("an earlier change could not be made: " + trouble));
            if (inStep && batch.size() > 0) {
                pending.commands.add(batch.events());
                pending.last += batch.size();
                bytes += batch.events().stream().mapToInt(JournalLines::room).sum();
            }
        }
        return pending;
    }

    /** The events of each batch that has events and is in step. */
    List<List<byte[]>> commands() {
        return commands;
    }

    /** The seq of the last of these events. */
    long last() {
        return last;
    }

    /** @param known the outcome, if it does not depend on the others */
    void add(Batch batch, @Nullable Outcome known) {
        batches.add(batch);
        outcomes.add(known);
    }

    int size() {
        return batches.size();
    }

    /**
     * Reports the outcomes that are open: all durable, or the first with events failed and those after it abandoned.
     *
     * @param failure why the batches are not durable; "" if they are
     * @param leads whether the term of this daemon lasted all the same, so that batches without events before the failed one are true
     */
    void settle(String failure, boolean leads, Executor completions) {
        Outcome outcome = Outcome.DURABLE;
        for (int i = 0; i < batches.size(); i++) {
            if (outcomes.get(i) != null) {
                continue;
            }
            boolean empty = batches.get(i).size() == 0;
            if (failure.isEmpty() || (empty && leads && outcome.durable())) {
                outcomes.set(i, Outcome.DURABLE);
            } else if (empty || !outcome.durable()) {
                outcomes.set(i, Outcome.abandoned(failure));
            } else {
                outcome = Outcome.failed(failure);
                outcomes.set(i, outcome);
            }
        }
        completions.execute(this::report);
    }

    /** A submitter that throws because of a bug must not prevent the reports to the submitters after it. */
    private void report() {
        RuntimeException bug = null;
        for (int i = 0; i < batches.size(); i++) {
            Outcome outcome = outcomes.get(i);
            try {
                batches.get(i).done().accept(outcome == null ? Outcome.DURABLE : outcome);
            } catch (RuntimeException e) {
                bug = bug == null ? e : bug;
            }
        }
        if (bug != null) {
            throw bug;
        }
    }
}
