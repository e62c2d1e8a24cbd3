package io.muster.daemon.ledger;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes batches of events durable, in order, and keeps a snapshot of the state that they lead to. The ledger does not limit what waits:
 * the submitter limits what it has in flight. Every method may be called from any thread, but all batches must be submitted by one thread.
 */
public interface Ledger extends Closeable {
    /** The seq of the last event that is durable; the first batch follows it. */
    long durableSeq();

    /** The seq of the snapshot from which a start would begin; 0 without a snapshot. */
    long snapshotSeq();

    /** The size of everything that is kept on disk, history included. */
    long bytes();

    Status status();

    /** What is kept of the past. */
    Archive archive();

    /** The rest of a sentence about an event that the ledger does not take, to follow the event's name; null if the ledger takes it. */
    @Nullable
    String refusal(byte[] event);

    /** @throws IllegalArgumentException if the ledger does not take one of the events */
    void submit(Batch batch);

    /**
     * Keeps a snapshot of the state and deletes history that is too old.
     *
     * @param seq the seq of the last event in the state; that event must be durable
     * @param state one JSON object in UTF-8
     * @param done called where outcomes are reported; after a failure the earlier snapshot is as it was
     */
    void snapshot(long seq, byte[] state, Consumer<Outcome> done);

    /** Tests whether changes can be made durable, and whether a ledger that failed can do so again, without waiting for the next batch. */
    void probe();

    /** Finishes everything that was submitted before, then closes the ledger. Nothing may be submitted afterwards. */
    @Override
    void close() throws IOException;

    /** @param reason one sentence; "" when the ledger is writable */
    record Status(Condition condition, String reason) {}
}
