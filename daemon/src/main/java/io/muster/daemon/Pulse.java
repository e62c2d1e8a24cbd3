package io.muster.daemon;

import io.muster.daemon.metrics.Health;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Whether the core thread still gets around to things. Felt by the core thread, asked by any. */
final class Pulse {
    private static final long EVERY_SECONDS = 2;

    /** The longest that anything may keep the core thread busy. */
    private static final long DEAD_SECONDS = 20;

    private final LongSupplier nanos;
    private volatile long last;

    /** @param nanos a clock that only goes forward */
    Pulse(LongSupplier nanos) {
        this.nanos = nanos;
        this.last = nanos.getAsLong();
    }

    void start(ScheduledExecutorService core) {
        var unused = core.scheduleWithFixedDelay(this::beat, 0, EVERY_SECONDS, TimeUnit.SECONDS);
    }

    void beat() {
        last = nanos.getAsLong();
    }

    Health health() {
        long silent = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - last);
        return silent < DEAD_SECONDS
                ? Health.OK
                : Health.because("the core thread has been busy or stuck for " + silent + " s");
    }
}
