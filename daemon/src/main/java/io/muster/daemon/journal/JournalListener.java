package io.muster.daemon.journal;

/**
 * Receives reports about the journal's work, for metrics and logs. Called on the journal thread, or during opening on the thread that opens
 * the journal.
 */
public interface JournalListener {
    /** A group of batches became durable with one force. */
    default void committed(int batches, int events, int bytes, long appendNanos, long forceNanos) {}

    /** A group of batches could not be written or forced. */
    default void failed(String reason) {}

    /**
     * The condition changed.
     *
     * @param reason one sentence; "" when the journal is writable
     */
    default void condition(Journal.Condition condition, String reason) {}

    /** @param time seconds since the epoch, by the journal's clock */
    default void snapshotted(long seq, double time, long bytes, long nanos) {}

    /**
     * Something that an operator should see and that stops nothing, such as a torn tail that was cut off or history that cannot be deleted.
     */
    default void warning(String sentence) {}

    /** The journal thread met a bug; the journal accepts nothing from now on. */
    default void broken(Throwable bug) {}
}
