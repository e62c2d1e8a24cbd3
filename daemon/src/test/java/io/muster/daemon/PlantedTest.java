package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The simulator finds bugs that are put into the product on purpose. */
final class PlantedTest {
    /** How many faults most seeds have. */
    private static final int FAULTS = 100;
    /** One seed of so many has no faults but those of the first seconds, which a fault soon after would end. */
    private static final int QUIET = 4;
    /** How much time of the processors the simulator may use for one bug. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(Long.getLong("muster.planted.seconds", 600));

    @TempDir
    Path directory;

    private ChangedRuns runs(PlantedBug bug) throws Exception {
        return new ChangedRuns(bug.compile(), Files.createTempDirectory(directory, "planted"));
    }

    @Tag("once")
    @Test
    void allBugsApplyAndCompile() throws Exception {
        List<PlantedBug> bugs = PlantedBug.all();
        assertThat(bugs).hasSizeGreaterThanOrEqualTo(20);
        for (PlantedBug bug : bugs) {
            assertThat(bug.compile().classes()).as(bug.name()).isNotEmpty();
        }
    }

    @Tag("once")
    @Test
    void someBugsAreFoundAtOnce() throws Exception {
        List<PlantedBug> quick =
                PlantedBug.all().stream().filter(bug -> bug.seed() != 0).toList();
        assertThat(quick).isNotEmpty();
        for (PlantedBug bug : quick) {
            try (ChangedRuns runs = runs(bug)) {
                assertThat(runs.outcome(bug.mix(), bug.seed(), bug.faults()).getValue())
                        .as(
                                "what seed %d finds of \"%s\"; `.ci/long planted` finds another seed",
                                bug.seed(), bug.name())
                        .isNotEmpty();
            }
        }
    }

    /** {@code -Dmuster.planted=REGEX} chooses the bugs whose names have a match. */
    @Tag("long")
    @Tag("planted")
    @Timeout(value = 10, unit = TimeUnit.HOURS)
    @Test
    void everyBugIsFound() throws Exception {
        List<String> missed = new ArrayList<>();
        System.out.println("| Bug | Seed | Faults | Seconds | What was found |\n|---|---|---|---|---|");
        Pattern chosen = Pattern.compile(System.getProperty("muster.planted", ""));
        for (PlantedBug bug : PlantedBug.all()) {
            if (chosen.matcher(bug.name()).find() && !find(bug)) {
                missed.add(bug.name());
            }
        }
        assertThat(missed).as("bugs that were not found in ten minutes").isEmpty();
    }

    private boolean find(PlantedBug bug) throws Exception {
        try (ChangedRuns runs = runs(bug)) {
            long start = SimRun.processorNanos();
            int faults = 0;
            for (long seed = 1; SimRun.processorNanos() - start < MOST_NANOS; seed++) {
                Map.Entry<Integer, String> outcome = runs.outcome(bug.mix(), seed, seed % QUIET == 0 ? 0 : FAULTS);
                faults += outcome.getKey();
                if (!outcome.getValue().isEmpty()) {
                    double seconds = (SimRun.processorNanos() - start) / 1e9;
                    System.out.printf(
                            Locale.ROOT,
                            "| %s%s: %s | %d | %d | %.0f | %s |%n",
                            bug.name(),
                            bug.mix().isEmpty() ? "" : " (mix " + bug.mix() + ")",
                            bug.effect(),
                            seed,
                            faults,
                            Math.ceil(seconds),
                            outcome.getValue().lines().findFirst().orElse(""));
                    return true;
                }
            }
            System.out.printf(Locale.ROOT, "| %s: %s | not found | %d | | |%n", bug.name(), bug.effect(), faults);
            return false;
        }
    }
}
