package io.muster.daemon.account;

import java.util.concurrent.TimeUnit;

/** Limits how often something happens: so many times at once, and after that so many times in a second. */
final class Rate {
    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** How many times are used up. */
    private double used;

    private long since;

    /** Returns 0 and counts the times if they are within the limit; otherwise returns after how many seconds they are. */
    synchronized double take(long now, double times, double perSecond, double burst) {
        refill(now, perSecond);
        if (used > 0 && used + times > burst) {
            return Math.max(1 / SECOND, Math.min(used, used + times - burst) / perSecond);
        }
        used += times;
        return 0;
    }

    /** Returns how many times are used up. */
    synchronized double used(long now, double perSecond) {
        refill(now, perSecond);
        return used;
    }

    private void refill(long now, double perSecond) {
        used = used == 0 ? 0 : Math.max(0, used - (now - since) / SECOND * perSecond);
        since = now;
    }
}
