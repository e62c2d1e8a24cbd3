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
        long first = Long.getLong("muster.sim.seed", 1);
        long runsAtMost = Long.getLong("muster.sim.runs", RUNS);
        int faults = Integer.getInteger("muster.sim.faults", FAULTS);
        try (ChangedRuns runs = new ChangedRuns(NextVersion.compile(), directory)) {
            for (long seed = first; seed < first + runsAtMost; seed++) {
                runs.pass("UpgradesTest", "upgrade", seed, faults);
            }
        }
    }
}
