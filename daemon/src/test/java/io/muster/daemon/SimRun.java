package io.muster.daemon;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.AppenderBase;
import com.sun.management.OperatingSystemMXBean;
import io.muster.daemon.machine.SimTrace;
import io.muster.daemon.machine.Simulation;
import io.muster.daemon.metrics.Metrics;
import java.io.Closeable;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Runs the simulated cluster, seed after seed. */
public final class SimRun implements Closeable {
    private static final List<Logger> NOISY = Stream.of(
                    "inventory",
                    "ledger",
                    "muster",
                    "journal",
                    "acquire",
                    "alert",
                    "report",
                    "brake",
                    "peer",
                    "relay",
                    "audit")
            .map(name -> (Logger) LoggerFactory.getLogger(name))
            .toList();

    private final SimConfigs configs;
    private final Telemetry telemetry;
    private String test = "SimulationTest#everySeedEndsWellAndLosesNothing";
    private String mix = System.getProperty("muster.sim.mix", "");
    private long pieces;

    /** @param directory an empty directory for the configurations */
    public SimRun(Path directory) throws Exception {
        configs = new SimConfigs(directory);
        telemetry = new Telemetry(new Metrics("test", "test"));
    }

    /** Sets the groups of faults that are frequent in the next runs. */
    void mix(String groups) {
        mix = groups;
    }

    /**
     * The result of a run.
     *
     * @param faults how many faults happened
     * @param failure what the checker found; null if it found nothing
     * @param seconds of the processors, with those for the compiler of the JVM
     */
    record Result(long seed, int faults, @Nullable Throwable failure, SimCluster cluster, double seconds) {
        String sentence() {
            return failure == null
                    ? "nothing failed"
                    : failure instanceof AssertionError ? String.valueOf(failure.getMessage()) : failure.toString();
        }

        @Override
        public String toString() {
            double virtual = cluster.simulation().now() / 1e9;
            return String.format(
                    Locale.ROOT,
                    "seed %d: %d faults, %d changes, %d events, %d messages, %.0f virtual s, %d steps in %.2f s, %.0f x, hash %x",
                    seed,
                    faults,
                    cluster.changes(),
                    cluster.events(),
                    cluster.messages(),
                    virtual,
                    cluster.simulation().steps(),
                    seconds,
                    virtual / seconds,
                    cluster.simulation().hash());
        }
    }

    /**
     * Runs one seed. Two runs with one seed are equal up to the fault with which the shorter one ends.
     *
     * @param trace receives the notes of the run, or null
     */
    Result run(long seed, int faults, @Nullable Consumer<String> trace) {
        return quietly(() -> apart(() -> runNow(seed, faults, trace)));
    }

    /** Runs something on a thread of its own: below the frames of JUnit, a stack trace takes several times as long. */
    private static <T> T apart(Callable<T> run) {
        FutureTask<T> task = new FutureTask<>(run);
        Thread thread = new Thread(task, "simulation");
        thread.start();
        try {
            return task.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs something while the log has nothing of the simulated daemons. */
    static <T> T quietly(Supplier<T> run) {
        List<@Nullable Level> levels = NOISY.stream().map(Logger::getLevel).collect(Collectors.toList());
        NOISY.forEach(logger -> {
            logger.setLevel(Level.ERROR);
            logger.setAdditive(false);
        });
        try {
            return run.get();
        } finally {
            for (int i = 0; i < levels.size(); i++) { // other tests in this JVM read the log
                NOISY.get(i).setLevel(levels.get(i));
                NOISY.get(i).setAdditive(true);
            }
        }
    }

    /** Lets a run fail when its daemons log a stack trace: they survive most of their bugs, and users may not notice them. */
    private static AppenderBase<ILoggingEvent> bugs(Simulation simulation) {
        AppenderBase<ILoggingEvent> bugs = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent error) {
                IThrowableProxy bug = error.getThrowableProxy();
                if (bug != null) {
                    simulation.fail(new AssertionError(
                            error.getFormattedMessage() + ": " + bug.getClassName() + ": " + bug.getMessage()));
                }
            }
        };
        bugs.start();
        NOISY.forEach(logger -> logger.addAppender(bugs));
        return bugs;
    }

    private Result runNow(long seed, int faults, @Nullable Consumer<String> trace) {
        SimCluster cluster = new SimCluster(seed, configs, telemetry, mix);
        cluster.simulation().notes(trace);
        long start = processorNanos();
        Throwable failure = null;
        AppenderBase<ILoggingEvent> bugs = bugs(cluster.simulation());
        try {
            cluster.run(faults);
        } catch (AssertionError | RuntimeException e) {
            failure = e;
        } finally {
            NOISY.forEach(logger -> logger.detachAppender(bugs));
            cluster.simulation().notes(null);
            cluster.close();
        }
        double seconds = (processorNanos() - start) / 1e9;
        pieces += cluster.pieces();
        return new Result(seed, (int) cluster.faults(), failure, cluster, seconds);
    }

    /** Returns how long the processors have worked for this JVM, in nanoseconds. */
    static long processorNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Runs one seed; returns the number of faults, and what failed, or "". */
    public Map.Entry<Integer, String> outcome(String groups, long seed, int faults) {
        mix = groups;
        Result result = run(seed, faults, null);
        return Map.entry(result.faults, result.failure == null ? "" : result.sentence());
    }

    /** Runs one seed, and describes a failure as {@link #shrunk} does; "" if nothing fails. */
    public String described(String name, String groups, long seed, int faults) {
        test = name;
        mix = groups;
        Result result = run(seed, faults, null);
        System.out.println(result);
        return result.failure == null ? "" : String.valueOf(shrunk(result).getMessage());
    }

    /** Returns how many pieces of long groups the daemons of all runs have written. */
    public long pieces() {
        return pieces;
    }

    /** Finds the shortest prefix of the faults that still fails, by halving, and describes the end of that run. */
    AssertionError shrunk(Result failed) {
        Result shortest = failed;
        int least = 0;
        while (least < shortest.faults) {
            int half = (least + shortest.faults) / 2;
            Result tried = run(failed.seed, half, null);
            shortest = tried.failure == null ? shortest : tried;
            least = tried.failure == null ? half + 1 : least;
        }
        SimTrace trace = new SimTrace();
        Result last = run(failed.seed, shortest.faults, trace);
        return new AssertionError(
                "seed " + failed.seed + ", " + failed.faults + " faults: " + failed.sentence() + "\nWith "
                        + shortest.faults + " faults (-Dtest=" + test + " -Dmuster.sim.seed=" + failed.seed
                        + " -Dmuster.sim.runs=1"
                        + " -Dmuster.sim.faults=" + shortest.faults
                        + (mix.isEmpty() ? "" : " -Dmuster.sim.mix=\"" + mix + "\"") + "): " + last.sentence()
                        + "\nThe last of "
                        + trace.lines() + " notes, with the virtual time in seconds:\n" + trace,
                last.failure);
    }

    @Override
    public void close() {
        telemetry.close();
    }
}
