package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.SimKills.Transition;
import io.muster.daemon.SimKills.Victim;
import io.muster.daemon.metrics.Metrics;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Holds that ask for an action and end by a check, with a kill at each transition, in virtual time: 30 in a build, and as many as {@code
 * muster.repairs} says.
 */
@Tag("repairs")
final class RepairsTest {
    private static final int HOLDS = Integer.getInteger("muster.repairs", 30);

    /** Not at every hold: two scripts may boot a host at the same time for two holds. */
    private static final Set<Transition> SOMETIMES =
            EnumSet.of(Transition.BOOTED, Transition.CHECK_FAILED, Transition.LAPSED);

    @TempDir
    private Path directory;

    @ParameterizedTest
    @Timeout(value = 10, unit = TimeUnit.HOURS)
    @ValueSource(strings = {"etcd", "files"})
    void nothingIsDoneTwiceForOneAttemptAndNoHostIsReleasedUnchecked(String ledger) throws Exception {
        try (Telemetry telemetry = new Telemetry(new Metrics("test", "test"))) {
            long seed = Long.getLong("muster.sim.seed", 1);
            SimCluster cluster = new SimCluster(seed, new SimConfigs(directory), telemetry, ledger);
            SimRepairs repairs = new SimRepairs(cluster, HOLDS, 48, 1);
            try {
                SimRun.quietly(() -> {
                    cluster.run(repairs);
                    return repairs;
                });
            } finally {
                System.out.println("seed " + seed + ", " + ledger + ": " + repairs + " in "
                        + cluster.simulation().now() / 1_000_000_000 + " virtual s");
                cluster.close();
            }
            assertThat(repairs.released).isEqualTo(HOLDS);
            assertThat(repairs.lapsed).as("claims that ran out").isPositive();
            assertThat(repairs.refused).as("late reports").isPositive();
            for (Transition transition : Transition.values()) {
                assertThat(repairs.kills.at(transition))
                        .as("kills at %s", transition)
                        .isBetween(SOMETIMES.contains(transition) ? 1 : HOLDS, HOLDS);
                for (Victim victim : SimKills.victims(transition)) {
                    assertThat(repairs.kills.of(transition, victim))
                            .as("kills of %s at %s", victim, transition)
                            .isPositive();
                }
            }
        }
    }
}
