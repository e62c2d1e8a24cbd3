package io.muster.daemon.core;

/** Counts events of the acquire streams; the daemon binds this to its metrics. */
public interface AcquireMeters {
    AcquireMeters NONE = new AcquireMeters() {};

    default void first() {}

    default void update() {}

    /** An error ended a stream or refused to begin one. */
    default void error() {}

    /** An update was merged into a later one because the scheduler does not read. */
    default void conflated() {}

    /** @param nanos time from when the first of the changes became durable until the updates of all writable streams were written */
    default void published(long nanos) {}
}
