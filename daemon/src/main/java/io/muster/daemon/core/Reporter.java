package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.status.JobUsage;
import org.jspecify.annotations.Nullable;

/** The open stream of a reporter, with what it last said about jobs. */
public final class Reporter {
    private final String name;
    private final Sink sink;
    private final Principal by;
    private @Nullable JobUsage usage;
    private long usageAt;

    Reporter(String name, Sink sink, Principal by) {
        this.name = name;
        this.sink = sink;
        this.by = by;
    }

    String name() {
        return name;
    }

    Sink sink() {
        return sink;
    }

    Principal by() {
        return by;
    }

    @Nullable
    JobUsage usage() {
        return usage;
    }

    /** Returns the time of the last usage on the monotonic clock, in nanoseconds; 0 if there was none. */
    long usageAt() {
        return usageAt;
    }

    void uses(JobUsage now, long nanos) {
        usage = now;
        usageAt = nanos;
    }
}
