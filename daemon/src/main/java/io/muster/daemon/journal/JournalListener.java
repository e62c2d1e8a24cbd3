package io.muster.daemon.journal;

/** Told about the journal's work: for metrics and logs. Called on the journal thread, or on the opener's during open. */
public interface JournalListener {
    /** A group of batches became durable with one force. */
    default void committed(int batches, int events, int bytes, long appendNanos, long forceNanos) {}

    /** A group of batches could not be written or forced. */
    default void failed(String reason) {}

    /**
     * A change of condition.
     *
     * @param reason one sentence; "" when writable
     */
    default void condition(Journal.Condition condition, String reason) {}

    /** @param time seconds since the epoch, by the journal's clock */
    default void snapshotted(long seq, double time, long bytes, long nanos) {}

    /** Something an operator should see that stops nothing: a torn tail cut off, history that cannot be deleted. */
    default void warning(String sentence) {}

    /** The journal thread met a bug; it accepts nothing from here on. */
    default void broken(Throwable bug) {}
}
