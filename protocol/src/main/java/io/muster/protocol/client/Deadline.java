package io.muster.protocol.client;

import java.time.Duration;

/** The point in time until which a client waits; {@link #NEVER} means without end. */
final class Deadline {
    static final Deadline NEVER = new Deadline(0, false);

    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Durations longer than this count as endless, because a long holds nanoseconds for only 292 years. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final long nanoTime;
    private final boolean bounded;

    private Deadline(long nanoTime, boolean bounded) {
        this.nanoTime = nanoTime;
        this.bounded = bounded;
    }

    /** Returns the deadline {@code time} from now, which may be zero. */
    static Deadline in(Duration time) {
        return time.compareTo(LONGEST) > 0 ? NEVER : new Deadline(System.nanoTime() + time.toNanos(), true);
    }

    /** Returns the deadline for a timeout as in {@link Options#timeout}, where zero means without end. */
    static Deadline ofTimeout(Duration timeout) {
        return timeout.isZero() ? NEVER : in(timeout);
    }

    boolean hasPassed() {
        return bounded && nanoTime - System.nanoTime() <= 0;
    }

    /** Returns the remaining time, rounded up, in the form that a selector takes, where 0 means without end. */
    long selectMillis() {
        return bounded ? Math.max(1, (nanoTime - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI) : 0;
    }
}
