package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.status.JobUsage;
import org.jspecify.annotations.Nullable;

/** The open stream of a reporter, with the reporter's last report about jobs. */
public final class Reporter {
    private final String name;
    private final Sink sink;
    private final Principal by;
    private boolean begun;
    private @Nullable JobUsage usage;
    private boolean asked;
    private long askedAt;

    Reporter(String name, Sink sink, Principal by) {
        this.name = name;
        this.sink = sink;
        this.by = by;
    }

    public String name() {
        return name;
    }

    Sink sink() {
        return sink;
    }

    Principal by() {
        return by;
    }

    public @Nullable JobUsage usage() {
        return usage;
    }

    void uses(JobUsage now) {
        usage = now;
    }

    /** Returns whether the report is durable. */
    boolean hasBegun() {
        return begun;
    }

    void begin() {
        begun = true;
    }

    /**
     * Records the time of a usage report, even if the report is refused later.
     *
     * @param nanos the monotonic clock
     * @return whether the previous report was at least {@code pause} earlier; if not, the time of this report is not
     * recorded
     */
    boolean mayAsk(long nanos, long pause) {
        if (asked && nanos - askedAt < pause) {
            return false;
        }
        asked = true;
        askedAt = nanos;
        return true;
    }
}
