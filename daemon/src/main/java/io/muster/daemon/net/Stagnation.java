package io.muster.daemon.net;

import java.time.Duration;

/** Finds out whether a state that should end soon has lasted too long without progress. */
public final class Stagnation {
    private final long limit;
    private boolean on;
    private long mark;
    private long since;

    /**
     * Creates a watch for one state.
     *
     * @param limit how long the state may last without progress
     */
    public Stagnation(Duration limit) {
        this.limit = limit.toNanos();
    }

    /**
     * Notes whether the state holds now.
     *
     * @param progress a number that differs from the previous call if there was progress
     * @return whether the state has lasted too long
     */
    public boolean lasts(boolean now, long progress, long nanos) {
        if (!now || !on || progress != mark) {
            on = now;
            mark = progress;
            since = nanos;
        }
        return on && nanos - since >= limit;
    }
}
