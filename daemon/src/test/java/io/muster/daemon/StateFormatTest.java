package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Answer;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every later version must read a state directory that the first version wrote, with every event and every axis in it, so that an upgrade
 * loses no state. Never change {@code state/v1}; a later format gets a directory beside it.
 */
class StateFormatTest {
    private static final Path GOLDEN = Path.of("src/test/resources/state/v1");
    private static final Pattern NAME = Pattern.compile("\"seq\":\\d+.*?\"name\":\"([a-z-]+)\"");
    private static final Principal BOB = Rig.BOB;

    @TempDir
    private Path directory;

    /** Writes {@code state/v1}. Run with -Dmuster.rewrite=true to write it where it does not exist. */
    private static void writeV1(Path into) throws IOException {
        begin(into);
        HandDriven clock = new HandDriven(Rig.START);
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.at(into)), clock)) {
            firstDay(rig);
            snapshot(rig);
            secondDay(rig);
            snapshot(rig);
            thirdDay(rig);
        }
    }

    /**
     * Writes the first segment of a directory of level 1, as the first version did: this version creates directories in the newest level.
     */
    private static void begin(Path directory) throws IOException {
        String head =
                "{\"timestamp\":1700000000.000000,\"name\":\"journal-segment\",\"context\":{\"version\":1,\"first\":1}}";
        CRC32C crc = new CRC32C();
        crc.update(head.getBytes(StandardCharsets.UTF_8));
        Path segment = directory.resolve("journal/0000000000000001.log");
        Files.createDirectories(segment.resolveSibling(""));
        Files.writeString(segment, String.format(Locale.ROOT, "%08x %s%n", crc.getValue(), head));
    }

    private static void firstDay(Rig rig) {
        rig.submit(
                new DefinitionChanges.Define(r("node[0-7]", "batch", "0-3"), "configuration", Liveness.Status.ONLINE));
        rig.submit(new DefinitionChanges.Restart());
        rig.submit(drain("node[1-2]", "bad dimm", HoldChanges.Mode.NONE, 0));
        rig.submit(drain("node1", "worse", HoldChanges.Mode.OVERWRITE, 0));
        rig.submit(drain("node[2-3]", null, HoldChanges.Mode.UPDATE, 0));
        rig.inventory.submit(
                new HoldChanges.Drain("node2", "fan ε", HoldChanges.Mode.NONE, "health", 4_000_000_000.25),
                BOB,
                answer -> {});
        rig.settle();
        rig.submit(new MembershipChanges.Exclude("node4", "loan"));
        rig.submit(new MembershipChanges.Exclude("node5", null));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "node6", "power"));
    }

    private static void secondDay(Rig rig) {
        rig.advance(Duration.ofHours(24));
        rig.submit(new MembershipChanges.Include("node5", "returned"));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.TORPID, "node[0,5]", "slow"));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.LIVELY, "node5", ""));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.ONLINE, "node6", ""));
        rig.submit(new MembershipChanges.Shrink("node7", "sold"));
        rig.submit(new DefinitionChanges.ChangeProperties(true, map("gpu", "node[0-1]", "a@b", "node3")));
        rig.submit(new DefinitionChanges.ChangeProperties(false, map("batch", "node0")));
        rig.submit(new DefinitionChanges.SetExpiration(4_100_000_000.5));
        rig.submit(new HoldChanges.Undrain("node3", "swapped", HoldChanges.Mode.NONE, null));
        rig.submit(new LivenessChanges.ForceDown(Idset.of(6)));
    }

    /**
     * Another R: node1 leaves with its drain, the other hosts get other ranks, two hosts are new, and the configuration excludes one of the
     * new hosts.
     */
    private static void thirdDay(Rig rig) {
        rig.advance(Duration.ofHours(24));
        ResourceSet next = r("node[8,7,6,5,4,3,2,0,9]", "batch", "3-6");
        rig.submit(new DefinitionChanges.Define(
                next, "reload", Liveness.Status.OFFLINE, new MembershipChanges.ExcludeByConfig(next, Idset.of(8))));
        rig.submit(new DefinitionChanges.Restart());
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.ONLINE, "node8", "up again"));
        rig.submit(drain("node8", "burn-in", HoldChanges.Mode.FORCE_OVERWRITE, 0));
        rig.submit(new HoldChanges.Undrain("node8", null, HoldChanges.Mode.NONE, null));
        rig.submit(drain("node[5-6]", "firmware", HoldChanges.Mode.NONE, 4_000_000_001.0));
    }

    private static ResourceSet r(String hosts, String property, String ranks) {
        ResourceSet nodes = Rig.nodes(hosts);
        return ResourceSet.of(
                nodes.hosts(),
                nodes.ranks(),
                Idset.range(0, 3),
                Idset.range(0, 1),
                Map.of(property, Idset.parse(ranks)));
    }

    private static HoldChanges.Drain drain(
            String targets, @Nullable String reason, HoldChanges.Mode mode, double until) {
        return new HoldChanges.Drain(targets, reason, mode, "admin", until);
    }

    private static SortedMap<String, String> map(String... pairs) {
        SortedMap<String, String> map = new TreeMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            map.put(pairs[i], pairs[i + 1]);
        }
        return map;
    }

    private static void snapshot(Rig rig) {
        List<Outcome> outcomes = new ArrayList<>();
        rig.journal.snapshot(rig.inventory.seq(), StateJson.toBytes(rig.state()), outcomes::add);
        while (outcomes.isEmpty()) {
            rig.core.runNext();
        }
        assertThat(outcomes).allMatch(Outcome::durable);
    }

    @Test
    void version1IsReadAsTheRecordedState() throws IOException {
        if (Boolean.getBoolean("muster.rewrite") && Files.notExists(GOLDEN)) {
            writeV1(GOLDEN);
            Files.writeString(GOLDEN.resolve("means.json"), text(recovered(GOLDEN)) + "\n");
            Files.delete(GOLDEN.resolve("lock"));
        }
        assertThat(text(recovered(copy())) + "\n").isEqualTo(Files.readString(GOLDEN.resolve("means.json")));
    }

    /** Without snapshots, the journal alone must result in the same state. */
    @Test
    void everyEventOfVersion1IsReplayedWithoutASnapshot() throws IOException {
        Path copy = copy();
        Files.delete(copy.resolve("snapshot.json"));
        Files.delete(copy.resolve("snapshot.prev.json"));

        assertThat(text(recovered(copy)) + "\n").isEqualTo(Files.readString(GOLDEN.resolve("means.json")));
        assertThat(events())
                .containsExactlyInAnyOrder(
                        "drain",
                        "exclude",
                        "include",
                        "lively",
                        "offline",
                        "online",
                        "property-add",
                        "property-remove",
                        "resource-define",
                        "resource-update",
                        "restart",
                        "shrink",
                        "torpid",
                        "undrain");
    }

    @Test
    void version1CanBeContinued() throws IOException {
        Path copy = copy();
        InventoryState before;
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.existing(copy)), new HandDriven(Rig.START))) {
            assertThat(rig.undrain("node5")).isNotInstanceOf(Answer.Failed.class);
            before = rig.state();
            snapshot(rig);
        }
        assertThat(text(recovered(copy))).isEqualTo(text(before));
        assertThat(before.holds().held()).hasToString("2,6");
    }

    /** This test fails first if the format changes. This version must stay readable. */
    @Test
    void version1IsStillWrittenByteForByte() throws IOException {
        Path written = directory.resolve("written");
        writeV1(written);
        for (Path file : files(GOLDEN)) {
            if (!file.endsWith("means.json")) {
                assertThat(written.resolve(GOLDEN.relativize(file))).hasSameTextualContentAs(file);
            }
        }
    }

    private Path copy() throws IOException {
        Path copy = directory.resolve("copy");
        for (Path file : files(GOLDEN)) {
            Path to = copy.resolve(GOLDEN.relativize(file));
            Files.createDirectories(to.resolveSibling(""));
            Files.copy(file, to);
        }
        return copy;
    }

    private static List<Path> files(Path of) throws IOException {
        try (Stream<Path> files = Files.walk(of)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** Recovers as the daemon does at the start. */
    private static InventoryState recovered(Path from) throws IOException {
        Recovered recovered = new Recovered(100, RunningDaemon.clock());
        Journal.open(
                        LocalDisk.existing(from),
                        JournalSettings.DEFAULT,
                        recovered,
                        new LedgerListener() {},
                        Runnable::run,
                        InstantSource.system())
                .close();
        return recovered.state();
    }

    private static String text(InventoryState state) {
        return new String(StateJson.toBytes(state), StandardCharsets.UTF_8);
    }

    private static Set<String> events() throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path file : files(GOLDEN.resolve("journal"))) {
            NAME.matcher(Files.readString(file))
                    .results()
                    .map(MatchResult::group)
                    .map(found -> found.substring(found.indexOf("\"name\":\"") + 8, found.length() - 1))
                    .forEach(names::add);
        }
        return names;
    }
}
