package io.muster.daemon.metrics;

import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;

/** A histogram of durations whose labels are looked up once. May be used on any thread. */
public final class Latency {
    private final Timer timer;

    Latency(Timer timer) {
        this.timer = timer;
    }

    public void record(long nanos) {
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    public long count() {
        return timer.count();
    }
}
