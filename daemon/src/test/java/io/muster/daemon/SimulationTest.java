package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.muster.daemon.metrics.Metrics;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The whole cluster in virtual time: {@code -Dmuster.sim.seed=N -Dmuster.sim.runs=N -Dmuster.sim.faults=N} try other seeds. */
@Tag("simulate")
final class SimulationTest {
    @TempDir
    Path directory;

    private SimConfigs configs;
    private Telemetry telemetry;

    @BeforeEach
    void prepare() throws Exception {
        for (String noisy : new String[] {"inventory", "ledger", "muster", "journal", "acquire", "alert"}) {
            ((Logger) LoggerFactory.getLogger(noisy)).setLevel(Level.OFF);
        }
        configs = new SimConfigs(directory);
        telemetry = new Telemetry(new Metrics("test", "test"));
    }

    @AfterEach
    void close() {
        telemetry.close();
    }

    @Test
    void everySeedEndsWellAndLosesNothing() {
        long first = Long.getLong("muster.sim.seed", 1);
        long runs = Long.getLong("muster.sim.runs", 2);
        int faults = Integer.getInteger("muster.sim.faults", 30);
        for (long seed = first; seed < first + runs; seed++) {
            run(seed, faults);
        }
    }

    private SimCluster run(long seed, int faults) {
        SimCluster cluster = new SimCluster(seed, configs, telemetry);
        long start = System.nanoTime();
        try {
            cluster.run(faults);
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed + ", " + cluster.faults() + " faults: " + e.getMessage(), e);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "seed %d: %d faults, %d changes, %d messages, %.0f virtual s, %d steps in %.2f s, %.0f x, hash %x%n",
                seed,
                cluster.faults(),
                cluster.changes(),
                cluster.messages(),
                cluster.simulation().now() / 1e9,
                cluster.simulation().steps(),
                seconds,
                cluster.simulation().now() / 1e9 / seconds,
                cluster.simulation().hash());
        return cluster;
    }

    @Test
    void twoRunsOfOneSeedAreEqual() {
        assertThat(run(7, 10).simulation().hash())
                .isEqualTo(run(7, 10).simulation().hash());
    }
}
