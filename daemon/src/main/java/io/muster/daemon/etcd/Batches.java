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
final class Batches {
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
    static Batches of(Deque<Batch> waiting, long first, String trouble) {
        Batches pending = new Batches();
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

    /** Takes all batches from a queue. */
    static Batches all(Deque<Batch> waiting) {
        Batches pending = new Batches();
        waiting.forEach(batch -> pending.add(batch, null));
        waiting.clear();
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
    private void add(Batch batch, @Nullable Outcome known) {
        batches.add(batch);
        outcomes.add(known);
    }

    int size() {
        return batches.size();
    }

    /** Reports that everything whose outcome is open is durable. */
    void succeed(Executor completions) {
        List<Outcome> all = outcomes.stream()
                .map(known -> known == null ? Outcome.DURABLE : known)
                .toList();
        completions.execute(() -> Batch.report(batches, all));
    }

    /**
     * Reports that the first batch with events whose outcome is open failed, and that all others are abandoned: batches without events
     * too, because this daemon may have lost the lead.
     *
     * @param elsewhere whether the changes were certainly not made because this daemon does not lead: another daemon may make them
     */
    void fail(String reason, boolean elsewhere, Executor completions) {
        Outcome failed = new Outcome(Outcome.Kind.FAILED, reason, elsewhere);
        Outcome abandoned = new Outcome(Outcome.Kind.ABANDONED, reason, elsewhere);
        List<Outcome> all = new ArrayList<>();
        for (int i = 0; i < batches.size(); i++) {
            Outcome known = outcomes.get(i);
            boolean fails = known == null && batches.get(i).size() > 0 && !all.contains(failed);
            all.add(known != null ? known : fails ? failed : abandoned);
        }
        completions.execute(() -> Batch.report(batches, all));
    }
}
