package io.muster.daemon.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class MetricsTest {
    private final Metrics metrics = new Metrics("0.1.0", "abc123");

    @AfterEach
    void close() {
        metrics.close();
    }

    private static String[] labels(Meter meter) {
        return meter.labels().stream().map(label -> "some-" + label).toArray(String[]::new);
    }

    private void bind(Meter meter) {
        switch (meter.type()) {
            case COUNTER -> metrics.counter(meter, labels(meter)).increment();
            case GAUGE -> metrics.gauge(meter, () -> 1, labels(meter));
            case TIMER -> metrics.timer(meter, labels(meter)).record(1_000_000);
            case INFO -> assertThat(metrics.unbound()).doesNotContain(meter);
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyMeterIsScrapedUnderItsDocumentedName(Meter meter) {
        bind(meter);
        String shown = meter.labels().isEmpty() ? "" : "{" + meter.labels().get(0) + "=\"";
        String text = metrics.scrape();
        assertThat(text).contains("# HELP " + meter.meterName() + " " + meter.description());
        for (String series : meter.seriesNames()) {
            assertThat(text.lines())
                    .as(series)
                    .anyMatch(line -> line.startsWith(series + shown)
                            || line.startsWith(series + "{")
                            || line.startsWith(series + " "));
        }
    }

    @Test
    void namesFollowTheConventionsOfPrometheus() {
        for (Meter meter : Meter.values()) {
            assertThat(meter.meterName()).matches("muster_[a-z_]+");
            assertThat(meter.meterName().endsWith("_total"))
                    .as(meter.name())
                    .isEqualTo(meter.type() == Meter.Type.COUNTER);
            assertThat(meter.unit().equals("s"))
                    .as(meter.name())
                    .isEqualTo(meter.meterName().endsWith("_seconds"));
            assertThat(meter.description()).doesNotContain("|").doesNotEndWith(".");
        }
        assertThat(Arrays.stream(Meter.values()).map(Meter::meterName)).doesNotHaveDuplicates();
    }

    @Test
    void countersAreNotGarbageCollected() {
        Tally denied = metrics.counter(Meter.DENIED, "resource.drain");
        metrics.counter(Meter.REQUESTS, () -> denied.total() + 1, "resource.drain", "EPERM");
        WeakReference<Object> canary = new WeakReference<>(new Object());
        while (canary.get() != null) {
            System.gc();
        }
        denied.increment();
        assertThat(metrics.scrape())
                .contains("muster_denied_total{topic=\"resource.drain\"} 1.0")
                .contains("muster_requests_total{errno=\"EPERM\",topic=\"resource.drain\"} 2.0");
    }

    @Test
    void aCounterIsResolvedOnceAndCountsPerLabel() {
        Tally ok = metrics.counter(Meter.REQUESTS, "resource.status", "OK");
        Tally denied = metrics.counter(Meter.REQUESTS, "resource.drain", "EPERM");
        ok.increment();
        ok.add(2);
        denied.increment();
        assertThat(metrics.counter(Meter.REQUESTS, "resource.status", "OK")).isSameAs(ok);
        assertThat(ok.total()).isEqualTo(3);
        assertThat(metrics.scrape())
                .contains("muster_requests_total{errno=\"OK\",topic=\"resource.status\"} 3.0")
                .contains("muster_requests_total{errno=\"EPERM\",topic=\"resource.drain\"} 1.0");
    }

    @Test
    void gaugesAndSuppliedCountersAreReadAtEachScrape() {
        AtomicLong value = new AtomicLong(5);
        metrics.gauge(Meter.JOURNAL_SEQUENCE, value::get);
        metrics.counter(Meter.JOURNAL_ERRORS, value::get);
        value.set(6);
        assertThat(metrics.scrape())
                .contains("muster_journal_sequence 6.0")
                .contains("muster_journal_errors_total 6.0");
    }

    @Test
    void aTimerIsAHistogramOfSeconds() {
        Latency fsync = metrics.timer(Meter.JOURNAL_FSYNC);
        fsync.record(300_000);
        fsync.record(7_000_000);
        assertThat(metrics.timer(Meter.JOURNAL_FSYNC)).isSameAs(fsync);
        assertThat(fsync.count()).isEqualTo(2);
        assertThat(metrics.scrape())
                .contains("muster_journal_fsync_seconds_bucket{le=\"2.5E-4\"} 0")
                .contains("muster_journal_fsync_seconds_bucket{le=\"5.0E-4\"} 1")
                .contains("muster_journal_fsync_seconds_bucket{le=\"0.01\"} 2")
                .contains("muster_journal_fsync_seconds_bucket{le=\"+Inf\"} 2")
                .contains("muster_journal_fsync_seconds_count 2");
    }

    @Test
    void metersOfTheWrongTypeOrLabelsAreRefused() {
        assertThatThrownBy(() -> metrics.counter(Meter.NODES, "x"))
                .hasMessage("NODES is a GAUGE with labels [state], not a COUNTER with 1");
        assertThatThrownBy(() -> metrics.counter(Meter.REQUESTS, "x"))
                .hasMessage("REQUESTS is a COUNTER with labels [topic, errno], not a COUNTER with 1");
    }

    @Test
    void unboundListsMetersWithoutASource() {
        assertThat(metrics.unbound()).isEqualTo(EnumSet.complementOf(EnumSet.of(Meter.BUILD)));
        List.of(Meter.values()).stream().filter(meter -> meter != Meter.BUILD).forEach(this::bind);
        assertThat(metrics.unbound()).isEmpty();
    }

    @Test
    void buildInfoAndJvmMetricsAreScraped() {
        assertThat(metrics.scrape())
                .contains("muster_build_info{java=\"" + System.getProperty("java.version")
                        + "\",revision=\"abc123\",version=\"0.1.0\"} 1\n")
                .contains("jvm_memory_used_bytes{area=\"heap\"")
                .contains("jvm_threads_current ")
                .contains("jvm_gc_collection_seconds_count{gc=\"")
                .contains("process_open_fds ")
                .contains("process_cpu_seconds_total ")
                .containsPattern("process_resident_memory_bytes \\d")
                .contains("process_start_time_seconds ")
                .doesNotContain("process_cpu_usage", "process_files_open", "system_");
    }
}
