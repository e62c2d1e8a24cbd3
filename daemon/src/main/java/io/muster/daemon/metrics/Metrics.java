package io.muster.daemon.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import io.prometheus.metrics.instrumentation.jvm.JvmBufferPoolMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmClassLoadingMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The registry of all meters. A meter with its labels is looked up once, at start or at first use, and after that counting
 * needs no lookup. The same meter and labels always give the same object. May be used on any thread.
 */
public final class Metrics implements AutoCloseable {
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(50_000),
        Duration.ofNanos(100_000),
        Duration.ofNanos(250_000),
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private record Child(Meter meter, List<String> labels) {}

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<Child, Tally> counts = new ConcurrentHashMap<>();
    private final Map<Child, Latency> latencies = new ConcurrentHashMap<>();
    private final Set<Meter> bound = EnumSet.noneOf(Meter.class);

    /** Creates a registry that includes the meters of the JVM and the process. */
    public Metrics(String version, String revision) {
        PrometheusRegistry prometheus = registry.getPrometheusRegistry();
        ProcessMetrics.builder().register(prometheus);
        JvmMemoryMetrics.builder().register(prometheus);
        JvmBufferPoolMetrics.builder().register(prometheus);
        JvmGarbageCollectorMetrics.builder().register(prometheus);
        JvmThreadsMetrics.builder().register(prometheus);
        JvmClassLoadingMetrics.builder().register(prometheus);
        info(Meter.BUILD, version, revision, System.getProperty("java.version", ""));
    }

    /** Returns a counter that the caller increments. */
    public Tally counter(Meter meter, String... labels) {
        return counts.computeIfAbsent(child(meter, Meter.Type.COUNTER, labels), child -> {
            Tally count = new Tally();
            register(child, count::total);
            return count;
        });
    }

    /** Registers a counter whose value is kept elsewhere. The value of {@code total} must never decrease. */
    public void counter(Meter meter, LongSupplier total, String... labels) {
        register(child(meter, Meter.Type.COUNTER, labels), total);
    }

    public Latency timer(Meter meter, String... labels) {
        return latencies.computeIfAbsent(child(meter, Meter.Type.TIMER, labels), child -> {
            Timer timer = Timer.builder(child.meter.meterName())
                    .description(child.meter.description())
                    .tags(tags(child))
                    .serviceLevelObjectives(BUCKETS)
                    .register(registry);
            return new Latency(timer);
        });
    }

    /**
     * Registers a gauge.
     *
     * @param value read at every scrape, on the scraping thread
     */
    public void gauge(Meter meter, Supplier<? extends Number> value, String... labels) {
        Child child = child(meter, Meter.Type.GAUGE, labels);
        Gauge.builder(meter.meterName(), () -> value.get())
                .description(meter.description())
                .tags(tags(child))
                .register(registry);
    }

    private void info(Meter meter, String... labels) {
        Child child = child(meter, Meter.Type.INFO, labels);
        Info.builder()
                .name(meter.meterName())
                .help(meter.description())
                .labelNames(meter.labels().toArray(String[]::new))
                .register(registry.getPrometheusRegistry())
                .setLabelValues(child.labels.toArray(String[]::new));
    }

    /** Returns the meters that have not been registered. There must be none when the daemon is ready. */
    public Set<Meter> unbound() {
        synchronized (bound) {
            return EnumSet.complementOf(EnumSet.copyOf(bound));
        }
    }

    /** Returns all meters as Prometheus text, format 0.0.4. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        registry.close();
    }

    /**
     * Registers a counter. Micrometer has only a weak reference to the object that it reads, and shows the last value for
     * ever once that object is collected. Therefore it is given the registry, which lives as long as the counter.
     */
    private void register(Child child, LongSupplier total) {
        FunctionCounter.builder(child.meter.meterName(), registry, r -> total.getAsLong())
                .description(child.meter.description())
                .tags(tags(child))
                .register(registry);
    }

    private Child child(Meter meter, Meter.Type type, String... labels) {
        if (meter.type() != type || meter.labels().size() != labels.length) {
            throw new IllegalArgumentException(meter + " is a " + meter.type() + " with labels " + meter.labels()
                    + ", not a " + type + " with " + labels.length);
        }
        synchronized (bound) {
            bound.add(meter);
        }
        return new Child(meter, List.of(labels));
    }

    private static List<Tag> tags(Child child) {
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < child.labels.size(); i++) {
            tags.add(Tag.of(child.meter.labels().get(i), child.labels.get(i)));
        }
        return tags;
    }
}
