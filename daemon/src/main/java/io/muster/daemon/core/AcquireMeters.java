package io.muster.daemon.core;

/** What the acquire streams count; the daemon binds it to its metrics. */
public interface AcquireMeters {
    AcquireMeters NONE = new AcquireMeters() {};

    default void first() {}

    default void update() {}

    /** The one error that ends a stream, or refuses to begin it. */
    default void error() {}

    /** An update was merged into a later one, since the scheduler does not read. */
    default void conflated() {}

    /** @param nanos from the first of the changes being durable until all writable streams had theirs written */
    default void published(long nanos) {}
}
