package io.muster.daemon;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The simulated cluster while its daemons are upgraded to {@link NextVersion}; with the options of {@link SimulationTest}. */
@Tag("simulate")
final class UpgradesTest {
    private static final int RUNS = 1;
    private static final int FAULTS = 20;

    @TempDir
    Path directory;

    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void daemonsAreUpgradedOneByOneAndBackUntilTheUpgradeIsFinished() throws Exception {
        try (ChangedRuns runs = new ChangedRuns(NextVersion.compile(), directory)) {
            SimulationTest.everySeed(
                    RUNS, FAULTS, (seed, faults) -> runs.pass("UpgradesTest", "upgrade", seed, faults));
        }
    }
}
