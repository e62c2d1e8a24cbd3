package io.muster.daemon.ledger;

/**
 * Receives reports about the ledger's work, for metrics and logs. Its methods are called on the ledger's own thread, or
 * during opening on the thread that opens the ledger.
 */
public interface LedgerListener {
    /** A group of batches became durable with one force. */
    default void committed(int batches, int events, int bytes, long appendNanos, long forceNanos) {}

    /** A group of batches could not be written or forced. */
    default void failed(String reason) {}

    /**
     * The condition changed.
     *
     * @param reason one sentence; "" if the ledger is writable
     */
    default void condition(Condition condition, String reason) {}

    /**
     * A snapshot was written.
     *
     * @param time seconds since the epoch, by the ledger's clock
     */
    default void snapshotted(long seq, double time, long bytes, long nanos) {}

    /** Files with history that is not old were deleted, because all of them together were too large. */
    default void cut(int files) {}

    /**
     * The ledger reports something that an operator should see but that does not stop the ledger, such as a torn tail that
     * was cut off or history that cannot be deleted.
     */
    default void warning(String sentence) {}

    /** A bug in the ledger was found; the ledger accepts nothing from now on. */
    default void broken(Throwable bug) {}
}
