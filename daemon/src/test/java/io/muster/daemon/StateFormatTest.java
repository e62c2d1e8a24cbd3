package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.core.Answer;
import io.muster.daemon.core.HandDriven;
import io.muster.daemon.core.Rig;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalCheck;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.past.Inquiry;
import io.muster.daemon.token.Token;
import io.muster.daemon.token.TokenFile;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Standing;
import io.muster.inventory.history.Period;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.level.Level;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.AuditChanges;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.CheckChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.FormatChanges;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.Once;
import io.muster.inventory.state.Policy;
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.state.StateJson;
import io.muster.inventory.state.WorkChanges;
import io.muster.inventory.status.AttemptRow;
import io.muster.inventory.status.JobUsage;
import io.muster.protocol.operation.Right;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every later version must read a state directory that the first version wrote, with every event and every axis in it, so that an upgrade
 * loses no state. Never change {@code state/v1} after a release; a later level gets a directory beside it. The directory has no {@code
 * ledger.json}, which would make it the copy of a ledger on etcd.
 */
class StateFormatTest {
    private static final Path GOLDEN = Path.of("src/test/resources/state/v1");
    /** The state to which the directory leads, and the history in it, one interval on each line. */
    private static final String MEANS = "means";

    /** Files that say nothing about the state. */
    private static final Set<String> LOCKS = Set.of("lock", "retention", "tokens.lock");

    private static final Pattern NAME = Pattern.compile("\"seq\":\\d+.*?\"name\":\"([a-z-]+)\"");
    private static final Principal BOB = new Principal(1002, "bob", 4712, 1000);
    private static final Principal THROUGH = Rig.ALICE.through(new Principal(500, "flux", 7), false);
    private static final Token TOKEN = new Token(
            "ci", Token.digest("muster_"), Set.of(Right.READ, Right.HOLD), "ci", 1_700_000_000, 4_000_000_000.0);

    private static final Principal NODE3 = new Principal(1003, "node3", 4713);
    /** No job uses any host. */
    private static final WorkChanges.Facts IDLE = AttemptRow.facts(
            List.of(new JobUsage("bridge", Idset.range(0, 9), Idset.EMPTY, Double.MAX_VALUE)), "reboot"::equals);

    @TempDir
    private Path directory;

    /** Run with -Dmuster.rewrite=true to write {@code state/v1} where it does not exist. */
    @BeforeAll
    static void write(@TempDir Path copies) throws IOException {
        if (Boolean.getBoolean("muster.rewrite") && Files.notExists(GOLDEN)) {
            writeV1(GOLDEN);
            Files.writeString(GOLDEN.resolve(MEANS), means(copy(copies)));
        }
    }

    private static void writeV1(Path into) throws IOException {
        Files.createDirectories(into);
        HandDriven clock = new HandDriven(Rig.START);
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.at(into)), clock)) {
            firstDay(rig);
            snapshot(rig);
            secondDay(rig);
            snapshot(rig);
            thirdDay(rig);
            fourthDay(rig);
            snapshot(rig);
            rig.advance(Duration.ofDays(30));
            snapshot(rig);
            lastDay(rig);
        }
        new TokenFile(LocalDisk.at(into)).edit(none -> List.of(TOKEN));
        for (String lock : LOCKS) {
            Files.deleteIfExists(into.resolve(lock));
        }
    }

    private static void firstDay(Rig rig) {
        rig.submit(
                new DefinitionChanges.Define(r("node[0-7]", "batch", "0-3"), "configuration", Liveness.Status.ONLINE));
        rig.submit(new DefinitionChanges.Restart());
        rig.submit(drain("node[1-2]", "bad dimm", HoldChanges.Mode.NONE, 0));
        rig.submit(drain("node1", "worse", HoldChanges.Mode.OVERWRITE, 0));
        rig.submit(drain("node[2-3]", null, HoldChanges.Mode.UPDATE, 0));
        submit(rig, BOB, new HoldChanges.Drain("node2", "fan ε", HoldChanges.Mode.NONE, "health", 1_850_000_000.25));
        submit(rig, THROUGH, new HoldChanges.Drain("node4", "fan", HoldChanges.Mode.NONE, "ops", 0));
        rig.submit(new MembershipChanges.Exclude("node4", "loan"));
        rig.submit(new MembershipChanges.Exclude("node5", null));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "node6", "power"));
        rig.submit(new AcquisitionChanges.Claim("flux", 60));
        rig.submit(new AcquisitionChanges.Claim("slurm", 0));
        rig.submit(new AcquisitionChanges.Release("slurm", "idle"));
        rig.submit(new ReportChanges.Register("bridge", Idset.parse("2-3"), Idset.of(2), Idset.EMPTY));
        rig.submit(note("node[1-2]", NoteEdit.tag("burn-in", "7.5")));
        rig.submit(note("node3", NoteEdit.mark("failing", "ECC")));
        rig.submit(new NoteChanges.Annotate(
                "",
                List.of("/cluster0/rack1"),
                new NoteEdit(new TreeMap<>(), null, new TreeMap<>(Map.of("fluxion", Optional.of("{\"x\":[1.50]}")))),
                state -> path -> Places.NONE.at(path).within("gpu1", Idset.of(0))));
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
        rig.submit(new ReportChanges.Lapse("bridge"));
        rig.submit(note("node3", NoteEdit.mark("", "")));
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
        rig.submit(new Once(new HoldChanges.Undrain("node8", null, HoldChanges.Mode.NONE, null), id(3)));
        rig.submit(drain("node[5-6]", "firmware", HoldChanges.Mode.NONE, 1_850_000_001.0));
        rig.submit(note("node1", NoteEdit.untag("burn-in")));
    }

    /** Planned holds, checks, work and a policy. Some of each are not at their end. */
    private static void fourthDay(Rig rig) {
        rig.advance(Duration.ofHours(24));
        double now = rig.now();
        Purpose cooling = new Purpose("facility", "OPS-881", "nhc", "");
        Purpose reboot = new Purpose("hardware", "", "nhc", "reboot");
        submit(rig, BOB, plan("node8", "cooling", now + 3600, now + 7200, cooling));
        submit(rig, THROUGH, plan("node[0,3]", "power", now + 1e8, 0, Purpose.NONE));
        submit(rig, THROUGH, new HoldChanges.Undrain("node0", "postponed", HoldChanges.Mode.NONE, "plan", true));
        rig.submit(new HoldChanges.Drain("node3", "dimm", HoldChanges.Mode.NONE, "repair", 0, 0, 0, reboot));
        submit(rig, NODE3, new CheckChanges.ReportBoot("node3", "b1"));
        submit(rig, BOB, new WorkChanges.ClaimWork("node3", 1, 600).with(IDLE));
        submit(rig, NODE3, new CheckChanges.ReportBoot("node3", "b2"));
        submit(rig, BOB, new WorkChanges.ReportWork("node3", 1, true, ""));
        submit(rig, NODE3, new CheckChanges.ReportCheck("node3", "nhc", 1, false, "60 GB"));
        submit(rig, NODE3, new CheckChanges.ReportCheck("node3", "nhc", 1, true, ""));
        rig.submit(new HoldChanges.Drain("node[0,3]", "fan", HoldChanges.Mode.NONE, "repair", 0, 0, 0, reboot));
        submit(rig, NODE3, new CheckChanges.ReportBoot("node0", "c1"));
        submit(rig, BOB, new WorkChanges.ClaimWork("node0", 2, 600).with(IDLE));
        submit(rig, BOB, new WorkChanges.ClaimWork("node3", 2, 604_800).with(IDLE));
        submit(rig, BOB, new WorkChanges.ReportWork("node0", 2, false, "no BMC"));
        rig.submit(new HoldChanges.Drain("node0", "fan", HoldChanges.Mode.OVERWRITE, "repair", 0, 0, 0, reboot));
        submit(rig, BOB, new WorkChanges.ClaimWork("node0", 3, 600).with(IDLE));
        rig.advance(Duration.ofHours(2)); // a plan begins, a claim runs out, the plan ends and overruns
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "node2", "power"));
        rig.submit(new HoldChanges.Undrain("node2", "swapped", HoldChanges.Mode.FORCE_OVERWRITE, null));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.ONLINE, "node2", ""));
        rig.submit(new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, "node2", "power"));
        rig.advance(Duration.ofMinutes(10));
        Policy policy = new Policy(Policy.When.OFFLINE, 60, "node2", "policy", "was offline", cooling);
        submit(rig, Principal.DAEMON, new Policy.Place(policy, List.of()));
        submit(rig, Principal.DAEMON, new AuditChanges.RecordAudit("flux", Idset.of(2), "up"));
    }

    private static HoldChanges.Drain plan(String targets, String reason, double from, double until, Purpose purpose) {
        return new HoldChanges.Drain(targets, reason, HoldChanges.Mode.NONE, "plan", from, until, 0, purpose);
    }

    /** A month later. An upgrade is never finished in the first level, so its event is written without a command. */
    private static void lastDay(Rig rig) {
        submit(rig, THROUGH, new Once(drain("node0", "psu", HoldChanges.Mode.NONE, 0), id(1)));
        submit(
                rig,
                BOB,
                new Once(new HoldChanges.Undrain("node2", null, HoldChanges.Mode.FORCE_OVERWRITE, null), id(2)));
        submit(rig, BOB, new AcquisitionChanges.Claim("flux", 60));
        long seq = rig.inventory.seq() + 1;
        Entry upgrade = new Entry(seq, rig.now(), BOB, new FormatChanges.Upgraded(Level.ONE));
        List<Outcome> outcomes = new ArrayList<>();
        rig.journal.submit(new Batch(seq, List.of(upgrade.toBytes()), outcomes::add));
        await(rig, outcomes);
    }

    private static void submit(Rig rig, Principal by, Command command) {
        List<Answer> answers = new ArrayList<>();
        rig.inventory.submit(command, by, answers::add);
        rig.settle();
        assertThat(answers).hasOnlyElementsOfType(Answer.Done.class);
    }

    private static ChangeId id(long number) {
        return ChangeId.of(new UUID(number, number), "request " + number);
    }

    private static NoteChanges.Annotate note(String targets, NoteEdit edit) {
        return new NoteChanges.Annotate(targets, List.of(), edit);
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
        await(rig, outcomes);
    }

    private static void await(Rig rig, List<Outcome> outcomes) {
        while (outcomes.isEmpty()) {
            rig.core.runNext();
        }
        assertThat(outcomes).allMatch(Outcome::durable);
    }

    @Test
    void version1IsReadAsTheRecordedStateAndHistory() throws IOException {
        Path copy = copy(directory);
        assertThat(means(copy)).isEqualTo(Files.readString(GOLDEN.resolve(MEANS)));
        assertThat(new TokenFile(LocalDisk.existing(copy)).read()).containsExactly(TOKEN);
        assertThat(JournalCheck.verify(LocalDisk.existing(copy), bytes -> {}).findings())
                .isEmpty();
    }

    /** Without snapshots, the journal alone must result in the same state and history. */
    @Test
    void everyEventOfVersion1IsReplayedWithoutASnapshot() throws IOException {
        Path copy = copy(directory);
        for (Path file : files(copy)) {
            if (file.getFileName().toString().startsWith("snapshot.")) {
                Files.delete(file);
            }
        }
        assertThat(means(copy)).isEqualTo(Files.readString(GOLDEN.resolve(MEANS)));
        assertThat(events())
                .containsExactlyInAnyOrder(
                        "acquire",
                        "annotate",
                        "attempt",
                        "audit",
                        "boot",
                        "drain",
                        "exclude",
                        "include",
                        "lapse",
                        "lively",
                        "offline",
                        "online",
                        "overrun",
                        "plan",
                        "property-add",
                        "property-remove",
                        "release",
                        "report",
                        "resource-define",
                        "resource-update",
                        "restart",
                        "shrink",
                        "torpid",
                        "undrain",
                        "unplan",
                        "upgrade");
    }

    /** Every kind of event that the product writes, and every step of an attempt, must be in the directory. */
    @Test
    void noKindOfEventIsMissing() throws IOException {
        Set<Class<?>> kinds = new HashSet<>();
        Set<String> steps = new TreeSet<>();
        for (Path segment : files(GOLDEN.resolve("journal"))) {
            for (String line : Files.readAllLines(segment)) {
                if (NAME.matcher(line).find()) {
                    Event event = Entry.parse(StrictJson.stored(
                                    line.substring(line.indexOf('{')).getBytes(StandardCharsets.UTF_8)))
                            .event();
                    kinds.add(event.getClass());
                    if (event instanceof WorkChanges.Worked step) {
                        steps.add(step.step());
                    }
                }
            }
        }
        assertThat(kinds).containsExactlyInAnyOrderElementsOf(kindsOf(Event.class));
        assertThat(steps)
                .contains("lapsed", "passed")
                .containsAll(Stream.of(Standing.Step.values())
                        .map(Standing.Step::word)
                        .toList());
    }

    private static Set<Class<?>> kindsOf(Class<?> type) {
        Class<?>[] permitted = type.getPermittedSubclasses();
        return permitted == null
                ? Set.of(type)
                : Stream.of(permitted).flatMap(each -> kindsOf(each).stream()).collect(Collectors.toSet());
    }

    @Test
    void version1CanBeContinued() throws IOException {
        Path copy = copy(directory);
        InventoryState before;
        try (Rig rig = Rig.on(new FaultyDisk(LocalDisk.existing(copy)), new HandDriven(Rig.START))) {
            assertThat(rig.undrain("node5")).isNotInstanceOf(Answer.Failed.class);
            before = rig.state();
            snapshot(rig);
        }
        Recovered recovered = new Recovered(100, RunningDaemon.clock(), Machine.REAL);
        open(copy, recovered).close();
        assertThat(text(recovered.state())).isEqualTo(text(before));
        assertThat(before.holds().held()).hasToString("0,2,4-5,7");
        assertThat(before.seqOf(id(1), THROUGH)).isPositive();
        assertThat(before.acquisitions()).containsOnlyKeys("flux");
    }

    /** This test fails first if the format changes. This version must stay readable. */
    @Test
    void version1IsStillWrittenByteForByte() throws IOException {
        Path written = directory.resolve("written");
        writeV1(written);
        assertThat(contents(written)).isEqualTo(contents(GOLDEN));
    }

    private static Map<String, String> contents(Path of) throws IOException {
        Map<String, String> contents = new TreeMap<>();
        for (Path file : files(of)) {
            contents.put(of.relativize(file).toString(), Files.readString(file));
        }
        contents.remove(MEANS);
        return contents;
    }

    private static Path copy(Path into) throws IOException {
        Path copy = Files.createTempDirectory(into, "copy");
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

    /** Reads a directory as the daemon does at the start. */
    private static Journal open(Path from, Recovered into) throws IOException {
        return Journal.open(
                LocalDisk.existing(from),
                JournalSettings.DEFAULT,
                into,
                new LedgerListener() {},
                Runnable::run,
                InstantSource.system());
    }

    /** Returns the state and the history in a directory, and adds nothing to it. */
    private static String means(Path from) throws IOException {
        Recovered recovered = new Recovered(100, RunningDaemon.clock(), Machine.REAL);
        SortedSet<String> lines = new TreeSet<>();
        try (Journal journal = open(from, recovered)) {
            Inquiry.Present present = new Inquiry.Present(recovered.state(), journal.durableSeq(), 2_000_000_000);
            Inquiry.Question all = new Inquiry.Question(Set.of(), new Period(0, Double.MAX_VALUE), true);
            try (Inquiry inquiry = new Inquiry(journal.archive(), all, present)) {
                while (!inquiry.isDone()) {
                    inquiry.read(Integer.MAX_VALUE)
                            .forEach((outage, hosts) -> hosts.forEach(host -> lines.add(host + " " + outage.toJson())));
                }
                assertThat(inquiry.coverage().damage()).isEmpty();
            }
        }
        return text(recovered.state()) + "\n" + String.join("\n", lines) + "\n";
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
