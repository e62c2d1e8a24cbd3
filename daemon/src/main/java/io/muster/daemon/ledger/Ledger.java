package io.muster.daemon.ledger;

import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of events durable, in order, and keeps a snapshot of the state that they lead to. The ledger does not limit
 * the number of waiting batches: the submitter limits what it has in flight. Every method may be called from any thread, but
 * all batches must be submitted by one thread.
 */
public interface Ledger extends Closeable {
    /** Returns the seq of the last durable event, after which the first batch begins. */
    long durableSeq();

    /** Returns the seq of the snapshot from which a start would begin; 0 if there is none. */
    long snapshotSeq();

    /** Returns the size of everything that is kept on disk, including history. */
    long bytes();

    Status status();

    /** Returns the past events and states that the ledger keeps. */
    Archive archive();

    /**
     * Returns the part of this daemon in a ledger to which other daemons may write; null if the ledger is not shared. If it is, only the
     * outcome of a batch, which may be empty, shows that the state after the events of this daemon is the newest one.
     */
    default @Nullable Role role() {
        return null;
    }

    /**
     * Returns the daemons that share the ledger now; none if it is not shared. A daemon that has ended is one of them until the daemon's
     * lease has ended. Waits for the ledger.
     */
    default List<Leader> members() throws IOException {
        return List.of();
    }

    /**
     * Returns why the ledger does not accept an event, as the rest of a sentence that begins with the event's name; null if
     * the ledger accepts the event.
     */
    @Nullable
    String refusal(byte[] event);

    /**
     * Submits a batch, whose outcome is reported later.
     *
     * @throws IllegalArgumentException if the ledger does not accept one of the events
     */
    void submit(Batch batch);

    /** Sets the format level of the files that are begun from now on; a lower level than before changes nothing. */
    void raise(Level level);

    /**
     * Lets another daemon write a shared ledger, when this daemon has nothing more to submit. This daemon then neither leads nor follows
     * until {@link #close}, and its state stays as it is. Does nothing if the ledger is not shared or does not answer.
     */
    default void handOver() {}

    /**
     * Keeps a snapshot of the state and deletes history that is too old.
     *
     * @param seq the seq of the last event in the state; that event must be durable
     * @param state one JSON object in UTF-8
     * @param done receives the outcome, unless the ledger is closed before; after a failure the earlier snapshot is unchanged
     */
    void snapshot(long seq, byte[] state, Consumer<Outcome> done);

    /** Tests whether changes can be made durable, and whether a ledger that failed can do so again, without waiting for the next batch. */
    void probe();

    /** Finishes everything that was submitted before, then closes the ledger. Nothing may be submitted afterwards. */
    @Override
    void close() throws IOException;

    /**
     * The condition of the ledger.
     *
     * @param reason one sentence; "" if the ledger is writable
     */
    record Status(Condition condition, String reason) {}
}
