package io.muster.protocol.client;

import java.time.Duration;

/** A point in time to wait for, or never. */
final class Deadline {
    static final Deadline NEVER = new Deadline(0, false);

    private static final long NANOS_PER_MILLI = 1_000_000;
    /** Durations longer than this count as endless, because nanoseconds of 292 years do not fit a long. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final long nanoTime;
    private final boolean bounded;

    private Deadline(long nanoTime, boolean bounded) {
        this.nanoTime = nanoTime;
        this.bounded = bounded;
    }

    /** Returns a deadline after this time, which may be zero. */
    static Deadline in(Duration time) {
        return time.compareTo(LONGEST) > 0 ? NEVER : new Deadline(System.nanoTime() + time.toNanos(), true);
    }

    /** Returns the deadline for a timeout in the sense of {@link Options#timeout}, where zero is endless. */
    static Deadline ofTimeout(Duration timeout) {
        return timeout.isZero() ? NEVER : in(timeout);
    }

    boolean hasPassed() {
        return bounded && nanoTime - System.nanoTime() <= 0;
    }

    /** Returns the remaining time, rounded up, in the form that a selector takes, where 0 is endless. */
    long selectMillis() {
        return bounded ? Math.max(1, (nanoTime - System.nanoTime() + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI) : 0;
    }
}
