package io.muster.daemon.core;

import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.ledger.Role;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The owner of the inventory's state.
 *
 * <p>The whole state is kept here and is changed on the core thread only; there are no locks. Commands are decided on the
 * <i>proposed</i> state, which is ahead of the disk; everything else uses the <i>committed</i> state, which the ledger has
 * made durable. The response to a change waits until the change is durable. A refusal waits until everything on which it was
 * decided is durable. If the disk fails, the proposed state becomes the committed state again, and the commands in flight
 * get an error.
 *
 * <p>The ledger completes batches in the order of their submission, so no list of batches in flight is needed: the callback
 * of each batch remembers the state that the batch leads to.
 */
public final class Inventory {
    /**
     * The highest number of commands in flight. If it or the limit on bytes is reached, commands are refused: the disk is
     * too slow, and an endless queue would only hide that.
     */
    public static final int MOST_IN_FLIGHT = 1 << 16;

    private static final long MOST_BYTES_IN_FLIGHT = 256L << 20;

    private static final Answer.Failed STOPPING = new Answer.Failed(Answer.Failed.Kind.BUSY, "the daemon is stopping");

    private final Ledger ledger;
    private final Executor core;
    private final Aside beside;
    private final WallClock clock;
    private final Settlement settlement;
    private final Redefinition redefinition = new Redefinition(this);
    private final Brakes brakes = new Brakes(this);
    private final Thread owner = Thread.currentThread();
    private final int mostInFlight;

    private volatile Committed committed;
    private InventoryState proposed;
    private long proposedSeq;
    /** Why no command is accepted, because another daemon makes the changes; null if this daemon makes them. */
    private volatile Answer.@Nullable Failed elsewhere;

    private volatile boolean ownOnly;
    private volatile boolean closed;
    private int inFlight;
    private long bytesInFlight;
    /** Whether a command is being decided beside the core thread. */
    private boolean deciding;
    /** The number of commands of {@link #submitAside} that are decided beside the core thread, or wait for that. */
    private int asides;
    /** The tasks that wait until that command is decided, in order. */
    private final Queue<Runnable> held = new ArrayDeque<>();
    /** How many times the proposed state was set back to the committed state because the disk failed. */
    private long falls;
    /** How many commands were decided a second time because the changes on which they had been decided failed. */
    private long decidedAnew;
    /** System time in nanoseconds when the ledger completed one of several batches or was given the only one; 0 if none is in flight. */
    private volatile long owingSince;

    /**
     * Creates the owner of the state. The thread that calls this constructor becomes the core thread.
     *
     * @param core runs tasks on the core thread, in order
     * @param beside decides commands that take long
     */
    public Inventory(
            Ledger ledger, Committed recovered, Executor core, Aside beside, WallClock clock, int mostInFlight) {
        this.ledger = ledger;
        this.core = core;
        this.settlement = new Settlement(core);
        this.beside = beside;
        this.clock = clock;
        this.mostInFlight = mostInFlight;
        this.committed = recovered;
        this.proposed = recovered.state();
        this.proposedSeq = recovered.seq();
    }

    /** Adds a listener. Listeners are called in the order in which they were added. */
    public void listen(Commits listener) {
        settlement.listen(listener);
    }

    /**
     * Returns the committed state and its seq, which belong together. May be called from any thread. A caller on another
     * thread that needs both must take both from one call.
     */
    public Committed committed() {
        return committed;
    }

    /**
     * Returns the committed state, which is on disk. Everything except the decision on a command uses this state. May be
     * called from any thread.
     */
    public InventoryState state() {
        return committed.state();
    }

    /** The seq of the last entry in {@link #state}. May be called from any thread. */
    public long seq() {
        return committed.seq();
    }

    /** Returns whether the inventory is as after this entry, so that the next command is decided on the state after it. */
    public boolean isAt(long seq) {
        return proposedSeq == seq && seq() == seq && !isHeld();
    }

    /** Returns why a daemon that leads takes no changes now, or why they cannot be made durable; "" if they can be. */
    public String fault() {
        Answer.Failed silent = ownOnly ? elsewhere : null;
        return silent == null ? ledger.status().reason() : silent.text();
    }

    /** Returns the size of everything that is kept on disk. */
    public long journalBytes() {
        return ledger.bytes();
    }

    /** Returns the part of this daemon in a ledger that it shares; null if the ledger is not shared. */
    public @Nullable Role role() {
        return ledger.role();
    }

    public double now() {
        return clock.now();
    }

    public WallClock clock() {
        return clock;
    }

    public Redefinition redefinition() {
        return redefinition;
    }

    public Brakes brakes() {
        return brakes;
    }

    /** Returns for how many seconds the ledger has completed nothing although changes wait; 0 if none wait. Any thread may call this. */
    public double stalledSeconds() {
        long since = owingSince;
        return since == 0 ? 0 : (clock.nanos() - since) / (double) TimeUnit.SECONDS.toNanos(1);
    }

    /** Returns whether a new R is being decided, or waits for the disk. */
    @SuppressWarnings("ReferenceEquality") // an R that is defined again is a new definition, even if it is equal
    public boolean isRedefining() {
        return asides > 0
                || proposed.definition().base() != state().definition().base();
    }

    /** Calls {@code then} when everything that was submitted before has been responded to. */
    public void whenAnswered(Runnable then) {
        inTurn(() -> waitForAnswers(then));
    }

    private void waitForAnswers(Runnable then) {
        if (isQuiet() || closed) {
            then.run();
        } else {
            long known = decidedAnew;
            // This always goes through the ledger, even if nothing is in flight: a direct call would run before the
            // responses that are queued in this round, and would repeat itself. Commands that were decided a second
            // time in the meantime may wait for the disk behind this barrier; then the method waits again.
            fly(
                    List.of(),
                    0,
                    outcome -> settlement.add(() -> {
                        if (decidedAnew == known) {
                            then.run();
                        } else {
                            whenAnswered(then);
                        }
                    }));
        }
    }

    /** Refuses commands with {@code why}, or none if it is null. If {@code own} is true, the daemon's own are still carried out. */
    public void refuse(Answer.@Nullable Failed why, boolean own) {
        checkThread();
        elsewhere = why;
        ownOnly = own;
    }

    /** Returns why commands are refused; null if this daemon makes the changes. Any thread may call this. */
    public Answer.@Nullable Failed elsewhere() {
        return elsewhere;
    }

    /** Refuses every command from now on, also the daemon's own, because the ledger is about to close. */
    public void close() {
        checkThread();
        closed = true;
    }

    /** Returns whether every command is refused because the ledger closes. Any thread may call this. */
    public boolean isClosed() {
        return closed;
    }

    private boolean isRefused(Principal by, Consumer<Answer> reply) {
        Answer.Failed why = closed ? STOPPING : ownOnly && by.equals(Principal.DAEMON) ? null : elsewhere;
        if (why != null) {
            reply.accept(why);
        }
        return why != null;
    }

    /**
     * Commits entries that another daemon has made durable. The commands that this daemon has in flight fail.
     *
     * @param lines each entry as JSON
     * @throws io.muster.inventory.problem.InvalidException if an entry cannot have happened to the state; nothing is committed then
     */
    public void follow(List<Entry> entries, List<byte[]> lines) {
        checkThread();
        InventoryState state = committed.state();
        for (Entry entry : entries) {
            state = entry.applyTo(state);
        }
        clock.reached(entries.get(entries.size() - 1).timestamp());
        proposed = state;
        proposedSeq = entries.get(entries.size() - 1).seq();
        settlement.schedule();
        commit(entries, lines, state);
    }

    /** Replaces the state by a later one, without the entries in between. */
    public void replace(Committed later) {
        checkThread();
        committed = later;
        proposed = later.state();
        proposedSeq = later.seq();
        settlement.schedule();
    }

    void checkThread() {
        if (Thread.currentThread() != owner) {
            throw new IllegalStateException("the inventory belongs to " + owner);
        }
    }

    /**
     * Decides a command and carries it out if it is accepted. The callback {@code reply} is called once, when everything
     * that the answer depends on is durable.
     */
    public void submit(Command command, Principal by, Consumer<Answer> reply) {
        checkThread();
        if (isRefused(by, reply)) {
            return;
        }
        if (inFlight + held.size() >= mostInFlight || bytesInFlight >= MOST_BYTES_IN_FLIGHT) {
            reply.accept(new Answer.Failed(
                    Answer.Failed.Kind.BUSY,
                    inFlight + held.size() + " changes wait for the ledger already: try again later"));
            return;
        }
        if (command.takesLong()) {
            inTurn(() -> decideAside(state -> command, by, reply, 0));
            return;
        }
        inTurn(() -> carryOut(Prepared.of(ledger, proposed, proposedSeq, command, now(), by), command, by, reply));
    }

    /**
     * Chooses, decides and carries out a command beside the core thread, because this takes long. Meanwhile the core thread
     * continues with everything except changes, which wait.
     *
     * @param choice returns the command for the state on which it is decided; null if nothing is to be changed
     */
    public void submitAside(Function<InventoryState, @Nullable Command> choice, Principal by, Consumer<Answer> reply) {
        checkThread();
        if (isRefused(by, reply)) {
            return;
        }
        asides++;
        inTurn(() -> decideAside(choice, by, reply, 1));
    }

    @SuppressWarnings("ReferenceEquality") // each state is a new object
    private void decideAside(
            Function<InventoryState, @Nullable Command> choice, Principal by, Consumer<Answer> reply, int counted) {
        deciding = true;
        InventoryState from = proposed;
        long seq = proposedSeq;
        double now = now();
        beside.run(
                () -> {
                    Command command = choice.apply(from);
                    Prepared prepared = command == null ? null : Prepared.of(ledger, from, seq, command, now, by);
                    if (prepared != null) {
                        prepared.after().view(); // computed here, and kept in the state
                    }
                    return () -> {
                        if (proposed != from) { // the disk refused a change before this one
                            decideAside(choice, by, reply, counted);
                        } else if (command == null || prepared == null) {
                            decided(counted, () -> reply.accept(new Answer.Done(List.of(), from, from)));
                        } else {
                            decided(counted, () -> carryOut(prepared, command, by, reply));
                        }
                    };
                },
                bug -> decided(counted, () -> reply.accept(new Answer.Failed(Answer.Failed.Kind.BUSY, bug))));
    }

    private void decided(int counted, Runnable then) {
        deciding = false;
        asides -= counted;
        try {
            then.run();
        } finally {
            core.execute(this::nextHeld);
        }
    }

    private boolean isHeld() {
        return deciding || !held.isEmpty();
    }

    /** Runs a task now, or after the tasks that already wait. */
    private void inTurn(Runnable task) {
        if (isHeld()) {
            held.add(task);
        } else {
            task.run();
        }
    }

    /** Runs the first waiting task, as a separate task of the core thread, so that peers are served in between. */
    private void nextHeld() {
        Runnable next = deciding ? null : held.poll();
        if (next != null) {
            try {
                next.run();
            } finally {
                core.execute(this::nextHeld);
            }
        }
    }

    private void carryOut(Prepared prepared, Command command, Principal by, Consumer<Answer> reply) {
        if (isRefused(by, reply)) { // the command was held, and this daemon has stopped leading meanwhile
            return;
        }
        String refusal = prepared.refusal();
        if (prepared.entries().isEmpty()) {
            answerUnchanged(command, by, prepared.decision(), reply);
        } else if (refusal == null) {
            write(prepared, reply);
        } else {
            reply.accept(new Answer.Failed(Answer.Failed.Kind.TOO_LONG, refusal));
        }
    }

    /** Returns whether this user gave this id to one of the last changes, which may be in flight. */
    public boolean remembers(ChangeId id, Principal by) {
        return proposed.repetition(id, by) != null;
    }

    /** Returns the result that a command would have now if every change in flight becomes durable. */
    public Preview preview(Command command, Principal by) {
        return Preview.of(command, proposed, now(), by);
    }

    /**
     * Like {@link #preview}, but decides the command beside the core thread, because this takes long.
     *
     * @param bug is given a sentence if a bug made the decision fail
     */
    public void previewAside(Command command, Principal by, Consumer<Preview> then, Consumer<String> bug) {
        InventoryState from = proposed;
        double now = now();
        beside.run(
                () -> {
                    Preview preview = Preview.of(command, from, now, by);
                    preview.after().view();
                    return () -> then.accept(preview);
                },
                bug);
    }

    /**
     * Answers a command that writes nothing. A refusal, or the finding that nothing has to change, may depend on changes
     * that are not on disk yet, so the answer waits for these changes. If the ledger is shared, the answer always waits for
     * the ledger, because another daemon may have made changes.
     */
    private void answerUnchanged(Command command, Principal by, Decision decision, Consumer<Answer> reply) {
        Rejection rejection = decision.rejection();
        Answer answer =
                rejection == null ? new Answer.Done(List.of(), proposed, proposed) : new Answer.Rejected(rejection);
        if (isQuiet() && ledger.role() == null) {
            reply.accept(answer);
            return;
        }
        long fallen = falls;
        fly(List.of(), 0, outcome -> {
            // A ledger that is BROKEN reports a batch without entries as durable, so the answer also requires that
            // the state was not set back.
            boolean holds = outcome.durable() && falls == fallen;
            settlement.add(holds ? () -> reply.accept(answer) : () -> decideAnew(command, by, reply));
        });
    }

    private void decideAnew(Command command, Principal by, Consumer<Answer> reply) {
        decidedAnew++;
        submit(command, by, reply);
    }

    /** Returns whether nothing is in flight and the answers to all completed batches have been given. */
    private boolean isQuiet() {
        return inFlight == 0 && settlement.isDone();
    }

    private void write(Prepared prepared, Consumer<Answer> reply) {
        clock.reached(prepared.entries().get(prepared.entries().size() - 1).timestamp());
        List<Entry> entries = prepared.entries();
        InventoryState before = proposed;
        InventoryState reached = prepared.after();
        fly(prepared.lines(), prepared.bytes(), outcome -> {
            if (outcome.durable()) {
                // The answer is queued before the listeners are called, because a listener may throw.
                settlement.add(() -> reply.accept(new Answer.Done(entries, before, reached)));
                commit(entries, prepared.lines(), reached);
            } else {
                settlement.add(() -> reply.accept(Answer.Failed.of(outcome, elsewhere)));
            }
        });
        proposed = reached;
        proposedSeq += entries.size();
    }

    private void fly(List<byte[]> lines, long bytes, Consumer<Outcome> landed) {
        Batch batch = new Batch(proposedSeq + 1, lines, outcome -> {
            inFlight--;
            bytesInFlight -= bytes;
            owingSince = inFlight == 0 ? 0 : clock.nanos();
            if (outcome.kind() == Outcome.Kind.FAILED) {
                proposed = committed.state();
                proposedSeq = committed.seq();
                falls++;
            }
            settlement.schedule();
            landed.accept(outcome);
        });
        ledger.submit(batch);
        if (inFlight == 0) {
            owingSince = clock.nanos();
        }
        inFlight++;
        bytesInFlight += bytes;
    }

    private void commit(List<Entry> entries, List<byte[]> lines, InventoryState reached) {
        committed = new Committed(reached, entries.get(entries.size() - 1).seq());
        settlement.committed(entries, lines, reached);
    }
}
