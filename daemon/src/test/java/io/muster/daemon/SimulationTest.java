package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.machine.SimTrace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole cluster in virtual time. {@code -Dmuster.sim.seed=N} chooses the first seed, {@code -Dmuster.sim.runs=N} or
 * {@code -Dmuster.sim.seconds=N} how many are run by each test, or for how long by all, and {@code -Dmuster.sim.faults=N} how many faults each has.
 */
@Tag("simulate")
final class SimulationTest {
    /** The number of seeds, from 1 on, unless an option asks for others. */
    private static final int RUNS = 2;

    private static final int FAULTS = 30;
    /** How many seeds of its own a commit has, and how many faults each of them. */
    private static final int FRESH = 10;

    private static final int FRESH_FAULTS = 100;
    /** What is frequent in each of them in turn. */
    private static final List<String> MIXES =
            List.of("", "relay", "process", "disk", "relay link", "clock etcd", "files disk", "copy restore reload");
    /** How many tests share the seconds. */
    private static final int TESTS = 4;

    @TempDir
    Path directory;

    private SimRun runs;

    @BeforeEach
    void prepare() throws Exception {
        runs = new SimRun(directory);
    }

    @AfterEach
    void close() {
        runs.close();
    }

    private void pass(long seed, int faults) {
        SimRun.Result result = runs.run(seed, faults, null);
        System.out.println(result);
        if (result.failure() != null) {
            throw runs.shrunk(result);
        }
    }

    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void everySeedEndsWellAndLosesNothing() {
        everySeed();
    }

    private void everySeed() {
        everySeed(this::pass);
    }

    private static void everySeed(BiConsumer<Long, Integer> run) {
        everySeed(RUNS, FAULTS, run);
    }

    /** Runs seeds, as the options say or so many. */
    static void everySeed(int runs, int faults, BiConsumer<Long, Integer> run) {
        boolean isLong = Long.getLong("muster.sim.seconds") != null;
        long first = Long.getLong("muster.sim.seed", isLong ? new SplittableRandom().nextInt(1_000_000_000) : 1);
        long runsAtMost = Long.getLong("muster.sim.runs", isLong ? Long.MAX_VALUE / 2 : runs);
        long seconds = Long.getLong("muster.sim.seconds", Integer.MAX_VALUE);
        int faultsEach = Integer.getInteger("muster.sim.faults", faults);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds) / TESTS;
        for (long seed = first; seed < first + runsAtMost && System.nanoTime() - end < 0; seed++) {
            run.accept(seed, faultsEach);
        }
    }

    /** The groups and snapshots of the product have several pieces only beyond a mebibyte. */
    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void everySeedWithSmallPiecesEndsWellAndLosesNothing() throws Exception {
        String test = "SimulationTest#everySeedWithSmallPiecesEndsWellAndLosesNothing";
        String mix = System.getProperty("muster.sim.mix", "");
        Path own = Files.createDirectory(directory.resolve("changed"));
        try (ChangedRuns changed = new ChangedRuns(PlantedBug.variant().compile(), own)) {
            everySeed((seed, faults) -> changed.pass(test, mix, seed, faults));
            boolean isShort =
                    Stream.of("seed", "runs", "seconds").anyMatch(each -> Long.getLong("muster.sim." + each) != null);
            assertThat(changed.pieces()).isGreaterThan(isShort ? -1 : 100); // the seed may have the ledger of files
        }
    }

    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void everySeedWithARelayEndsWellAndLosesNothing() {
        runs.mix("relay " + System.getProperty("muster.sim.mix", ""));
        everySeed();
    }

    /** Each commit adds to what was simulated, and two builds of a commit run the same. */
    @Tag("once")
    @Timeout(value = 24, unit = TimeUnit.HOURS)
    @Test
    void seedsOfThisCommitEndWellAndLoseNothing() {
        String revision = Build.revision();
        long first = revision.equals("unknown") ? 0 : Long.parseLong(revision.substring(0, 12), 16);
        for (int i = 0; i < FRESH; i++) {
            runs.mix(MIXES.get(i % MIXES.size()));
            pass(first + i, FRESH_FAULTS);
        }
    }

    @Test
    void twoRunsOfOneSeedAreEqualAndATraceChangesNothing() {
        SimTrace one = new SimTrace();
        SimTrace other = new SimTrace();
        long hash = runs.run(7, 20, one).cluster().simulation().hash();
        assertThat(runs.run(7, 20, other).cluster().simulation().hash()).isEqualTo(hash);
        assertThat(other.digest()).isEqualTo(one.digest());
        assertThat(other.lines()).isGreaterThan(1000);
        assertThat(runs.run(7, 20, null).cluster().simulation().hash()).isEqualTo(hash);
        runs.mix("relay");
        long relayed = runs.run(7, 20, one).cluster().simulation().hash();
        assertThat(runs.run(7, 20, null).cluster().simulation().hash()).isEqualTo(relayed);
    }

    @Test
    void aShorterRunIsTheBeginningOfALongerOne() {
        List<String> shorter = until("fault 5, ", 5);
        assertThat(shorter).hasSizeGreaterThan(500).isEqualTo(until("fault 5, ", 20));
        assertThat(shorter).anyMatch(line -> line.contains("etcd makes revision"));
        assertThat(shorter).anyMatch(line -> line.contains("forces"));
    }

    /** Returns the notes of a run of seed 7 until one has this text. */
    private List<String> until(String text, int faults) {
        List<String> notes = new ArrayList<>();
        runs.run(7, faults, notes::add);
        int end = IntStream.range(0, notes.size())
                .filter(at -> notes.get(at).contains(text))
                .findFirst()
                .orElseThrow();
        return notes.subList(0, end + 1);
    }
}
