package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The simulated cluster while its daemons are upgraded to {@link NextVersion}; with the options of {@link SimulationTest}. */
@Tag("simulate")
final class UpgradesTest {
    private static final Path TOP = Path.of(System.getProperty("basedir", "."))
            .toAbsolutePath()
            .resolve("..")
            .normalize();
    private static final int RUNS = 1;
    private static final int FAULTS = 20;

    @TempDir
    Path directory;

    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void daemonsAreUpgradedOneByOneAndBackUntilTheUpgradeIsFinished() throws Exception {
        Class<?> type = new PlantedBug.Loader(NextVersion.compile(TOP)).loadClass(SimRun.class.getName());
        Method described = type.getMethod("described", String.class, long.class, int.class);
        long first = Long.getLong("muster.sim.seed", 1);
        long runsAtMost = Long.getLong("muster.sim.runs", RUNS);
        int faults = Integer.getInteger("muster.sim.faults", FAULTS);
        try (Closeable runs = (Closeable) type.getConstructor(Path.class).newInstance(directory)) {
            for (long seed = first; seed < first + runsAtMost; seed++) {
                assertThat((String) described.invoke(runs, "upgrade", seed, faults))
                        .isEmpty();
            }
        }
    }
}
