package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PulseTest {
    private final AtomicLong nanos = new AtomicLong(7);
    private final Pulse pulse = new Pulse(nanos::get);

    @Test
    void aCoreThreadWithoutABeatFor20SecondsIsReportedAsUnhealthy() {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(19));
        assertThat(pulse.health().ok()).isTrue();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(4));
        assertThat(pulse.health().reasons()).containsExactly("the core thread has been busy or stuck for 23 s");
        pulse.beat();
        assertThat(pulse.health().ok()).isTrue();
    }
}
