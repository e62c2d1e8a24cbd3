package io.muster.daemon;

import io.muster.daemon.http.Health;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Whether the core thread still runs its tasks. The core thread beats; any thread may ask. */
final class Pulse {
    private static final long EVERY_SECONDS = 2;

    /** The longest time for which a single task may occupy the core thread. */
    private static final long DEAD_SECONDS = 20;

    private final LongSupplier nanos;
    private volatile long last;

    /** @param nanos a monotonic clock */
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
