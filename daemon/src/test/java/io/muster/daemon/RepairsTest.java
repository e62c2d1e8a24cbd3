package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.metrics.Metrics;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds that ask for an action and end by a check, with a kill at each transition, in virtual time: 30 in a build, and as many as {@code
 * muster.repairs} says.
 */
@Tag("simulate")
final class RepairsTest {
    private static final int HOLDS = Integer.getInteger("muster.repairs", 30);

    @TempDir
    private Path directory;

    @Test
    void nothingIsDoneTwiceForOneAttemptAndNoHostIsReleasedUnchecked() throws Exception {
        try (Telemetry telemetry = new Telemetry(new Metrics("test", "test"))) {
            long seed = Long.getLong("muster.sim.seed", 1);
            SimCluster cluster = new SimCluster(seed, new SimConfigs(directory), telemetry, "repairs");
            SimRepairs repairs = new SimRepairs(cluster, HOLDS, 48);
            try {
                cluster.run(repairs);
            } finally {
                System.out.println("seed " + seed + ": " + repairs + " in "
                        + cluster.simulation().now() / 1_000_000_000 + " virtual s");
                cluster.close();
            }
            assertThat(repairs.released).isEqualTo(HOLDS);
            assertThat(repairs.lapsed).as("claims that ran out").isPositive();
            assertThat(repairs.refused).as("late reports").isPositive();
            assertThat(repairs.kills.keySet().stream().map(kill -> kill.substring(0, kill.indexOf(','))))
                    .as("kills at each transition")
                    .containsOnly("placed", "claimed", "acted", "booted", "checked", "reported done");
        }
    }
}
