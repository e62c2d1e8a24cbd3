package io.muster.daemon.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.SummaryWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Quantiles;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.ToDoubleFunction;

/** The meters of the process and of the JVM, under the names that the client libraries of Prometheus give them. */
final class ProcessMetrics {
    private static final double NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final double MILLIS = TimeUnit.SECONDS.toMillis(1);
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int KIBI = 1024;

    private final PrometheusRegistry registry;

    ProcessMetrics(PrometheusRegistry registry) {
        this.registry = registry;
    }

    void bind() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            CounterWithCallback.builder()
                    .name("process_cpu_seconds_total")
                    .help("User and system CPU time of the process")
                    .callback(now -> now.call(system.getProcessCpuTime() / NANOS))
                    .register(registry);
            gauge("process_open_fds", "Open file descriptors", system::getOpenFileDescriptorCount);
            gauge("process_max_fds", "Most open file descriptors", system::getMaxFileDescriptorCount);
        }
        double start = ManagementFactory.getRuntimeMXBean().getStartTime() / MILLIS;
        gauge("process_start_time_seconds", "Start of the process since the epoch", () -> start);
        gauge("process_resident_memory_bytes", "Resident memory", () -> status("VmRSS:"));
        gauge("process_virtual_memory_bytes", "Virtual memory", () -> status("VmSize:"));
        memory("jvm_memory_used_bytes", "Used memory of the JVM", MemoryUsage::getUsed);
        memory("jvm_memory_committed_bytes", "Memory that the JVM has of the system", MemoryUsage::getCommitted);
        memory("jvm_memory_max_bytes", "Most memory of the JVM; -1 for no limit", MemoryUsage::getMax);
        gauge("jvm_threads_current", "Threads", ManagementFactory.getThreadMXBean()::getThreadCount);
        gauge(
                "jvm_classes_currently_loaded",
                "Loaded classes",
                ManagementFactory.getClassLoadingMXBean()::getLoadedClassCount);
        GaugeWithCallback.builder()
                .name("jvm_buffer_pool_used_bytes")
                .help("Memory of buffers outside the heap")
                .labelNames("pool")
                .callback(now -> ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
                        .forEach(pool -> now.call((double) pool.getMemoryUsed(), pool.getName())))
                .register(registry);
        SummaryWithCallback.builder()
                .name("jvm_gc_collection_seconds")
                .help("Time that collections of garbage took")
                .labelNames("gc")
                .callback(now -> ManagementFactory.getGarbageCollectorMXBeans()
                        .forEach(gc -> now.call(
                                gc.getCollectionCount(),
                                gc.getCollectionTime() / MILLIS,
                                Quantiles.EMPTY,
                                gc.getName())))
                .register(registry);
    }

    private void gauge(String name, String help, DoubleSupplier value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(now -> now.call(value.getAsDouble()))
                .register(registry);
    }

    private void memory(String name, String help, ToDoubleFunction<MemoryUsage> value) {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames("area")
                .callback(now -> {
                    now.call(value.applyAsDouble(memory.getHeapMemoryUsage()), "heap");
                    now.call(value.applyAsDouble(memory.getNonHeapMemoryUsage()), "nonheap");
                })
                .register(registry);
    }

    /** Returns a number of bytes that the kernel shows in KiB; NaN if it shows none. */
    private static double status(String key) {
        try {
            return Files.readAllLines(STATUS).stream()
                    .filter(line -> line.startsWith(key))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("[^0-9]", "")) * KIBI)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }
}
