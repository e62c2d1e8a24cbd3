package io.muster.daemon.net;

import java.time.Duration;

/** Watches for a state that should end soon and may not. */
public final class Stagnation {
    private final long limit;
    private boolean on;
    private long mark;
    private long since;

    /** @param limit how long the state may last without progress */
    public Stagnation(Duration limit) {
        this.limit = limit.toNanos();
    }

    /**
     * Notes whether the state holds now.
     *
     * @param progress differs from the last time if there was any
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
