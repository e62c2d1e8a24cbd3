package io.muster.daemon.core;

import io.muster.daemon.journal.Batch;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.Outcome;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Principal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The owner of the inventory's state.
 *
 * <p>All state lives here and is touched on the core thread only; there are no locks. Commands are decided on the
 * <i>proposed</i> state, which runs ahead of the disk; everybody else sees the <i>committed</i> state, which is what the
 * journal has made durable. An answer is given only when what it speaks of is durable: a change when it is on disk itself,
 * a refusal when everything is that it was decided on. When the disk fails, the proposed state falls back to the committed
 * one and whoever had something in flight is told.
 *
 * <p>The journal completes what it was given in order, so the flights need no list: each remembers the state that it
 * leads to.
 */
public final class Inventory {
    /** Beyond either, commands are refused: the disk does not keep up, and a queue without end only hides that. */
    private static final int MOST_IN_FLIGHT = 1 << 16;

    private static final long MOST_BYTES_IN_FLIGHT = 256L << 20;

    private final Journal journal;
    private final Executor core;
    private final WallClock clock;
    private final List<Commits> listeners = new ArrayList<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();
    private final Thread owner = Thread.currentThread();
    private final int mostInFlight;

    private volatile InventoryState committed;
    private InventoryState proposed;
    private volatile long committedSeq;
    private long proposedSeq;
    private int inFlight;
    private long bytesInFlight;
    private boolean settling;
    /** How often the proposed state has fallen back to the committed one. */
    private long falls;
    /** How many requests have been decided a second time, since what they were decided on had failed. */
    private long decidedAnew;
    /** When the journal last owed an answer without giving one; 0 while it owes none. */
    private volatile long owingSince;

    /**
     * Belongs to the thread that makes it.
     *
     * @param core runs what it is given on that thread, in order
     */
    public Inventory(Journal journal, InventoryState recovered, long seq, Executor core, WallClock clock) {
        this(journal, recovered, seq, core, clock, MOST_IN_FLIGHT);
    }

    Inventory(Journal journal, InventoryState recovered, long seq, Executor core, WallClock clock, int mostInFlight) {
        this.journal = journal;
        this.core = core;
        this.clock = clock;
        this.mostInFlight = mostInFlight;
        this.committed = recovered;
        this.proposed = recovered;
        this.committedSeq = seq;
        this.proposedSeq = seq;
    }

    /** Listeners hear of commits in the order in which they were added. */
    public void listen(Commits listener) {
        listeners.add(listener);
    }

    /** What is on disk: the only state that anybody but a command may look at. From any thread. */
    public InventoryState state() {
        return committed;
    }

    /** The number of the last event of {@link #state}. */
    public long seq() {
        return committedSeq;
    }

    /** Why changes cannot be made durable now; "" when they can. */
    public String fault() {
        return journal.status().reason();
    }

    public double now() {
        return clock.now();
    }

    public WallClock clock() {
        return clock;
    }

    /** For how long the disk has been silent while something waits for it; 0 when nothing does. From any thread. */
    public double stalledSeconds() {
        long since = owingSince;
        return since == 0 ? 0 : (System.nanoTime() - since) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** Whether another R waits for the disk. */
    @SuppressWarnings("ReferenceEquality") // a definition that is equal is no event
    boolean isRedefining() {
        return proposed.definition().base() != committed.definition().base();
    }

    /** Calls back when all that was submitted before has been answered. */
    public void whenAnswered(Runnable then) {
        if (isQuiet()) {
            then.run();
        } else {
            long known = decidedAnew;
            // Never at once: what has just landed is still to be told, so it would be sent after that, and again, and
            // again. What was decided anew meanwhile may wait for the disk behind this.
            fly(
                    List.of(),
                    0,
                    outcome -> answers.add(() -> {
                        if (decidedAnew == known) {
                            then.run();
                        } else {
                            whenAnswered(then);
                        }
                    }));
        }
    }

    void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("the inventory belongs to " + owner);
        }
    }

    /** Carries a command out, or not; {@code reply} is called once, when the answer is durable. */
    public void submit(Command command, Principal by, Consumer<Answer> reply) {
        checkThread();
        if (inFlight >= mostInFlight || bytesInFlight >= MOST_BYTES_IN_FLIGHT) {
            reply.accept(Answer.failed(
                    Answer.Failure.Kind.BUSY, inFlight + " changes wait for the disk already: try again later"));
            return;
        }
        double now = now();
        Decision decision = command.decide(proposed, now, by);
        if (decision.events().isEmpty()) {
            answerUnchanged(command, by, decision, reply);
        } else {
            write(decision.events(), now, by, reply);
        }
    }

    /** What a command would lead to now, if nothing that is in flight fails. */
    public Preview preview(Command command, Principal by) {
        double now = now();
        Decision decision = command.decide(proposed, now, by);
        InventoryState after = proposed;
        for (Event event : decision.events()) {
            after = after.apply(event, now, by);
        }
        return new Preview(decision, after);
    }

    public record Preview(Decision decision, InventoryState after) {}

    /** A refusal, or "it is so already", may speak of what is not on disk yet: then it waits behind that. */
    private void answerUnchanged(Command command, Principal by, Decision decision, Consumer<Answer> reply) {
        Rejection rejection = decision.rejection();
        Answer answer = rejection == null ? Answer.done(List.of()) : Answer.rejected(rejection);
        if (isQuiet()) {
            reply.accept(answer);
            return;
        }
        long fallen = falls;
        fly(List.of(), 0, outcome -> {
            // A journal that failed by a bug has nothing to write for this, and so says that it is durable.
            boolean holds = outcome.durable() && falls == fallen;
            answers.add(holds ? () -> reply.accept(answer) : () -> decideAnew(command, by, reply));
        });
    }

    private void decideAnew(Command command, Principal by, Consumer<Answer> reply) {
        decidedAnew++;
        submit(command, by, reply);
    }

    /** Nothing waits for the disk, and nothing that came back from it has still to be told. */
    private boolean isQuiet() {
        return inFlight == 0 && !settling && answers.isEmpty();
    }

    private void write(List<Event> events, double now, Principal by, Consumer<Answer> reply) {
        List<Entry> entries = new ArrayList<>(events.size());
        List<byte[]> lines = new ArrayList<>(events.size());
        InventoryState after = proposed;
        long bytes = 0;
        for (Event event : events) {
            Entry entry = new Entry(proposedSeq + entries.size() + 1, now, by, event);
            after = entry.applyTo(after);
            entries.add(entry);
            byte[] line = entry.toBytes();
            if (!Batch.fits(line)) {
                reply.accept(Answer.failed(Answer.Failure.Kind.TOO_LONG, event.name() + " " + Batch.tooLong(line)));
                return;
            }
            lines.add(line);
            bytes += line.length;
        }
        InventoryState reached = after;
        fly(lines, bytes, outcome -> {
            if (outcome.durable()) {
                answers.add(() -> reply.accept(Answer.done(entries))); // first: a listener may fail by a bug
                commit(entries, lines, reached);
            } else {
                answers.add(() -> reply.accept(Answer.failed(Answer.Failure.Kind.DISK, outcome.reason())));
            }
        });
        proposed = reached;
        proposedSeq += entries.size();
    }

    private void fly(List<byte[]> lines, long bytes, Consumer<Outcome> landed) {
        Batch batch = Batch.of(proposedSeq + 1, lines, outcome -> {
            inFlight--;
            bytesInFlight -= bytes;
            owingSince = inFlight == 0 ? 0 : System.nanoTime();
            if (outcome.kind() == Outcome.Kind.FAILED) {
                proposed = committed;
                proposedSeq = committedSeq;
                falls++;
            }
            settle();
            landed.accept(outcome);
        });
        journal.submit(batch);
        if (inFlight == 0) {
            owingSince = System.nanoTime();
        }
        inFlight++;
        bytesInFlight += bytes;
    }

    private void commit(List<Entry> entries, List<byte[]> lines, InventoryState reached) {
        committed = reached;
        committedSeq = entries.get(entries.size() - 1).seq();
        tell(listeners.iterator(), listener -> listener.committed(entries, lines, reached));
    }

    /** All of them, whoever fails by a bug. */
    private static void tell(Iterator<Commits> rest, Consumer<Commits> news) {
        try {
            while (rest.hasNext()) {
                news.accept(rest.next());
            }
        } finally {
            if (rest.hasNext()) {
                tell(rest, news);
            }
        }
    }

    /** Answers go out once all that landed together is committed, so that what they promise has been published before. */
    private void settle() {
        if (!settling) {
            settling = true;
            core.execute(this::answer);
        }
    }

    /** One answer or listener that fails by a bug must not cost the others theirs. */
    private void answer() {
        settling = false;
        try {
            tell(listeners.iterator(), Commits::settled);
        } finally {
            answerAll();
        }
    }

    private void answerAll() {
        try {
            for (Runnable due = answers.poll(); due != null; due = answers.poll()) {
                due.run();
            }
        } finally {
            if (!answers.isEmpty()) {
                settle();
            }
        }
    }
}
