package io.muster.protocol.client;

import java.time.Duration;

/** A point in time to wait for, or never. */
final class Deadline {
    static final Deadline NEVER = new Deadline(0, false);

    private static final long NANOS_PER_MILLI = 1_000_000;
    /** What is longer is without end: nanoseconds of 292 years do not fit. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final long nanoTime;
    private final boolean bounded;

    private Deadline(long nanoTime, boolean bounded) {
        this.nanoTime = nanoTime;
        this.bounded = bounded;
    }

    /** A time from now, which may be zero. */
    static Deadline in(Duration time) {
        return time.compareTo(LONGEST) > 0 ? NEVER : new Deadline(System.nanoTime() + time.toNanos(), true);
    }

    /** As {@link Options#timeout} has it. */
    static Deadline ofTimeout(Duration timeout) {
        return timeout.isZero() ? NEVER : in(timeout);
    }

    boolean hasPassed() {
        return bounded && nanoTime - System.nanoTime() <= 0;
    }

    /** What is left, rounded up, as a selector takes it: 0 is without end. */
    long selectMillis() {
        return bounded ? Math.max(1, (nanoTime - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI) : 0;
    }
}
