package io.muster.daemon.core;

/** Counts what happens to the acquire streams. The daemon implements this with its metrics. */
public interface AcquireMeters {
    default void first() {}

    default void update() {}

    /** Called when an error ends a stream or refuses to open one. */
    default void error() {}

    /** Called when an update is merged into a later one because the scheduler does not read. */
    default void conflated() {}

    /**
     * Called after an update was sent.
     *
     * @param nanos time from when the first of the changes became durable until the updates of all writable streams were
     *     written
     */
    default void published(long nanos) {}
}
