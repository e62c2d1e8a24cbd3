package io.muster.daemon.past;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalArchive;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.ledger.Archive;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.history.Chronicle;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastEvent;
import io.muster.inventory.history.Period;
import io.muster.inventory.history.Tracker;
import io.muster.inventory.history.Uptime;
import io.muster.inventory.history.UptimeKind;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.AcquisitionChanges;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.MembershipChanges;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.state.ReportChanges;
import io.muster.inventory.state.StateJson;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Answers about the past equal those of an oracle that knows every event, within the period that the answers call complete, after any
 * sequence of rotations, snapshots, restarts and deletions of history.
 */
class InquiryPropsTest {
    private static final int STEPS = 120;
    private static final int HOSTS = 8;
    private static final double DAY = 86_400;
    private static final Principal ADA = new Principal(1001, "ada", 7, 1000);

    private final MemoryDisk disk = new MemoryDisk();
    private final List<Entry> entries = new ArrayList<>();
    private InventoryState state = InventoryState.empty();
    private double now = 1_700_000_000;

    @Seeds(share = 0.5)
    void anAnswerEqualsThatOfAnOracleWithinItsCompletePeriod(Random random) throws Exception {
        long history = random.nextBoolean() ? 2_000 : 1 << 20;
        Journal journal = open(history);
        try {
            run(journal, define(random));
            for (int step = 0; step < STEPS; step++) {
                now = Epoch.rounded(now + random.nextDouble() * 4 * DAY);
                switch (random.nextInt(12)) {
                    case 0 -> snapshot(journal);
                    case 1 -> {
                        journal.close();
                        journal = open(history);
                    }
                    default -> run(journal, command(random));
                }
                if (step % 10 == 9) {
                    if (random.nextBoolean()) {
                        journal.archive().prepare();
                    }
                    if (random.nextBoolean()) {
                        makeSums(journal.archive());
                    }
                    checkAvailability(journal, period(random), random);
                    check(journal, random);
                }
            }
        } finally {
            journal.close();
        }
        Inquiry.Present found = Inquiry.Present.of(journal.archive(), now);
        assertThat(found.seq()).isEqualTo(entries.size());
        assertThat(StateJson.toBytes(found.state())).isEqualTo(StateJson.toBytes(state));
    }

    private Journal open(long history) throws IOException {
        JournalSettings settings =
                new JournalSettings(1_500, JournalSettings.DEFAULT.historyAge(), history, () -> false, Duration.ZERO);
        Replay replay = new Replay() {
            @Override
            public void snapshot(long seq, double timestamp, ObjectNode snapshot) {}

            @Override
            public void event(JournalRecord record) {}
        };
        return Journal.open(
                disk,
                settings,
                replay,
                new LedgerListener() {},
                Runnable::run,
                () -> Instant.ofEpochMilli((long) (now * 1000)));
    }

    private void snapshot(Journal journal) throws Exception {
        CompletableFuture<Outcome> done = new CompletableFuture<>();
        journal.snapshot(entries.size(), StateJson.toBytes(state), done::complete);
        assertThat(done.get()).isEqualTo(Outcome.DURABLE);
    }

    private void run(Journal journal, Command command) throws Exception {
        List<byte[]> lines = new ArrayList<>();
        long first = entries.size() + 1L;
        for (Event event : command.decide(state, now, ADA).events()) {
            Entry entry = new Entry(entries.size() + 1L, now, ADA, event);
            entries.add(entry);
            lines.add(entry.toBytes());
            state = entry.applyTo(state);
        }
        if (!lines.isEmpty()) {
            CompletableFuture<Outcome> done = new CompletableFuture<>();
            journal.submit(new Batch(first, lines, done::complete));
            assertThat(done.get()).isEqualTo(Outcome.DURABLE);
        }
    }

    private static HoldChanges.Mode mode(Random random) {
        List<HoldChanges.Mode> modes = List.of(HoldChanges.Mode.values());
        return modes.get(random.nextInt(modes.size()));
    }

    /** Returns a command, also one of a reporter, or a drain with a class. */
    private Command command(Random random) {
        return switch (random.nextInt(15)) {
            case 0 -> {
                Idset ranks = Idset.range(0, random.nextInt(HOSTS));
                Idset online = ranks.intersect(Idset.of(0, random.nextInt(HOSTS), random.nextInt(HOSTS)));
                yield new ReportChanges.Register("bridge" + random.nextInt(2), ranks, online, Idset.EMPTY);
            }
            case 1 ->
                random.nextBoolean()
                        ? new ReportChanges.Lapse("bridge" + random.nextInt(2))
                        : new DefinitionChanges.Restart();
            case 2, 3 ->
                new HoldChanges.Drain(
                        targets(random),
                        random.nextBoolean() ? "dimm" : null,
                        mode(random),
                        random.nextBoolean() ? "admin" : "ops",
                        0,
                        0,
                        0,
                        Purpose.of(List.of("", "hardware", "maintenance").get(random.nextInt(3)), ""));
            default -> plainCommand(random);
        };
    }

    private Command plainCommand(Random random) {
        String targets = targets(random);
        return switch (random.nextInt(13)) {
            case 0, 1 ->
                new HoldChanges.Drain(
                        targets,
                        random.nextBoolean() ? "dimm" : null,
                        mode(random),
                        random.nextBoolean() ? "admin" : "ops",
                        0);
            case 2, 3, 4 ->
                new HoldChanges.Undrain(targets, "fixed", mode(random), random.nextBoolean() ? "admin" : "ops");
            case 5 -> new MembershipChanges.Exclude(targets, "spare");
            case 6 -> new MembershipChanges.Include(targets, "back");
            case 7 -> random.nextInt(4) == 0 ? define(random) : new MembershipChanges.Shrink(targets, null);
            case 8 -> new AcquisitionChanges.Claim("flux", random.nextInt(60));
            case 9 -> new NoteChanges.Annotate(targets, List.of(), edit(random));
            case 10, 11 ->
                new NoteChanges.Annotate(
                        "",
                        List.of("/n" + random.nextInt(HOSTS) + "/gpu " + random.nextInt(2)),
                        edit(random),
                        at -> path -> Places.NONE.within(
                                path.substring(path.lastIndexOf('/') + 1),
                                at.resources().ranksOf(path.substring(1, path.lastIndexOf('/')))));
            default -> {
                LivenessChange[] all = LivenessChange.values();
                yield new LivenessChanges.SetLiveness(all[random.nextInt(all.length)], targets, "psu");
            }
        };
    }

    private static NoteEdit edit(Random random) {
        return switch (random.nextInt(5)) {
            case 0 -> NoteEdit.tag("a", "");
            case 1 -> NoteEdit.tag("a", "7.1");
            case 2 -> NoteEdit.untag("a");
            case 3 -> NoteEdit.mark("", "");
            default -> NoteEdit.mark(random.nextBoolean() ? "down" : "failing", random.nextBoolean() ? "ECC" : "");
        };
    }

    private static Command define(Random random) {
        int last = 2 + random.nextInt(HOSTS - 2);
        ResourceSet resources = ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-" + last
                + "\",\"children\":{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"n[0-"
                + last + "]\"]}}");
        Liveness.Status initial = random.nextBoolean() ? Liveness.Status.ONLINE : Liveness.Status.OFFLINE;
        return new DefinitionChanges.Define(resources, "configuration", initial);
    }

    /** Returns targets most of which exist: a change of other targets is refused and changes nothing. */
    private static String targets(Random random) {
        int first = random.nextInt(HOSTS - 2);
        int last = first + random.nextInt(3);
        return random.nextInt(3) > 0 ? "n" + first : first + "-" + last;
    }

    /** What is kept beside segments may be damaged, missing, or of another segment; a segment may be damaged too. */
    private void spoil(MemoryDisk spoilt, Random random) {
        List<String> sums = names(spoilt, ".sums");
        if (sums.isEmpty()) {
            return;
        }
        String name = sums.get(random.nextInt(sums.size()));
        byte[] bytes = spoilt.content(name).clone();
        switch (random.nextInt(5)) {
            case 0 -> spoilt.delete(name);
            case 1 -> spoilt.set(name, Arrays.copyOf(bytes, random.nextInt(bytes.length)));
            case 2 -> spoilt.set(name, spoilt.content(sums.get(random.nextInt(sums.size()))));
            case 3 -> {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                spoilt.set(name, bytes);
            }
            default -> {
                List<String> segments = names(spoilt, ".log");
                String segment = segments.get(random.nextInt(segments.size()));
                byte[] changed = spoilt.content(segment).clone();
                changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
                spoilt.now = spoilt.now.plusSeconds(1);
                spoilt.set(segment, changed);
            }
        }
    }

    /** What is kept beside segments may be impossible to read or to write. */
    private static FaultyDisk.Fault fault(Random random) {
        FaultyDisk.Kind[] kinds = FaultyDisk.Kind.values();
        FaultyDisk.Kind fails = kinds[random.nextInt(kinds.length)];
        return (kind, name) -> {
            if (kind == fails && name.endsWith(".sums")) {
                throw FaultyDisk.broken();
            }
            return -1;
        };
    }

    private static List<String> names(MemoryDisk disk, String suffix) {
        return disk.list("journal").stream()
                .map(entry -> "journal/" + entry.name())
                .filter(name -> name.endsWith(suffix))
                .toList();
    }

    private void makeSums(Archive archive) throws IOException {
        List<Archive.Part> parts = archive.parts(); // the journal may begin a new one meanwhile
        try (Survey survey = Survey.ofParts(archive, new Inquiry.Present(state, entries.size(), now))) {
            do {
                survey.read();
            } while (!survey.hasPassedParts());
        }
        for (Archive.Part part : parts) {
            assertThat(archive.sums(part)).as("%s", part).isNotNull();
        }
    }

    private ObjectNode survey(Archive archive, Period period, Uptime.By by, int bars, boolean keeps)
            throws IOException {
        Inquiry.Present present = new Inquiry.Present(state, entries.size(), now);
        Uptime.Rows rows = new Uptime.Rows(by, host -> List.of(host, "all"), 0, bars);
        try (Survey survey = new Survey(archive, present, period, rows, keeps)) {
            return survey.answer();
        }
    }

    private void checkAvailability(Journal journal, Period period, Random random) throws IOException {
        int bars = random.nextInt(5);
        ObjectNode answer = survey(journal.archive(), period, Uptime.By.HOST, bars, random.nextInt(3) > 0);
        long end = Tracker.millis(now);
        NaiveUptime naive = new NaiveUptime(entries, end);
        long since = millis(answer.path("since"));
        Map<String, NaiveUptime.Sum> expected = naive.between(since, end);
        // An outage that was unclear when a cut record begins may have begun before.
        boolean whole = millis(answer.path("known_since"))
                == Tracker.millis(entries.get(0).timestamp());
        Map<String, String> found = new TreeMap<>();
        answer.path("rows").forEach(row -> found.put(row.path("host").asText(), text(row, whole)));
        Map<String, String> texts = new TreeMap<>();
        expected.forEach((host, sum) -> texts.put(host, sum.text(whole)));
        assertThat(found).as("since %s", period.since()).isEqualTo(texts);
        JsonNode parts = answer.path("bars");
        for (int i = 0; i < parts.size(); i++) {
            long from = millis(parts.path(i).path("since"));
            long to = i + 1 == parts.size() ? end : millis(parts.path(i + 1).path("since"));
            Map<UptimeKind, Long> millis = new TreeMap<>();
            naive.between(from, to)
                    .values()
                    .forEach(sum -> sum.millis.forEach((kind, ms) -> millis.merge(kind, ms, Long::sum)));
            assertThat(seconds(parts.path(i))).as("bar %d of %d", i, bars).isEqualTo(millis);
        }
        MemoryDisk spoilt = disk.copy();
        spoil(spoilt, random);
        MemoryDisk plain = spoilt.copy();
        names(plain, ".sums").forEach(plain::delete);
        FaultyDisk faulty = new FaultyDisk(spoilt, fault(random));
        for (Uptime.By by : Uptime.By.values()) {
            assertThat(survey(new JournalArchive(faulty), period, by, bars, true))
                    .isEqualTo(survey(new JournalArchive(plain), period, by, bars, false));
        }
    }

    private static long millis(JsonNode time) {
        return Instant.parse(time.asText()).toEpochMilli();
    }

    private static String text(JsonNode row, boolean whole) {
        return seconds(row) + " outages " + row.path("outages") + " open " + row.path("open")
                + (whole ? " earlier " + row.path("earlier") : "") + " longest "
                + Tracker.millis(row.path("longest_seconds").asDouble()) + " planned " + row.path("planned_times");
    }

    private static Map<UptimeKind, Long> seconds(JsonNode row) {
        Map<UptimeKind, Long> millis = new TreeMap<>();
        for (UptimeKind each : UptimeKind.values()) {
            long ms = Tracker.millis(row.path("seconds").path(each.word()).asDouble());
            if (ms > 0) {
                millis.put(each, ms);
            }
        }
        return millis;
    }

    private Period period(Random random) {
        double begin = entries.get(0).timestamp();
        return new Period(random.nextInt(3) == 0 ? 0 : begin + random.nextDouble() * (now - begin), now);
    }

    private void check(Journal journal, Random random) throws IOException {
        String host = "n" + random.nextInt(HOSTS);
        Set<String> hosts = random.nextInt(4) == 0 ? Set.of() : Set.of(host);
        Period period = period(random);
        double since = period.since();
        SortedSet<String> open = new TreeSet<>();
        List<Map.Entry<Outage, String>> answered = new ArrayList<>();
        Inquiry.Present present = new Inquiry.Present(state, entries.size(), now);
        try (Inquiry inquiry = new Inquiry(journal.archive(), new Inquiry.Question(hosts, period, true), present)) {
            while (!inquiry.isDone()) {
                inquiry.read(3)
                        .forEach((outage, names) -> names.forEach(name -> answered.add(Map.entry(outage, name))));
            }
            Coverage coverage = inquiry.coverage();
            assertThat(coverage.damage()).isEmpty();
            Chronicle oracle = new Chronicle(hosts, true);
            entries.forEach(entry -> oracle.add(PastEvent.of(entry)));
            // An interval that ended in a gap ends, in the answer, with the gap, which is just before the complete
            // period.
            Period whole = new Period(Math.max(since, Math.nextUp(coverage.since())), now);
            SortedSet<String> expected = new TreeSet<>();
            SortedSet<String> expectedOpen = new TreeSet<>();
            oracle.intervals()
                    .forEach(entry -> entry.getValue().forEach(name -> {
                        collect(whole, entry.getKey(), name, expected, expectedOpen);
                    }));
            SortedSet<String> complete = new TreeSet<>();
            answered.forEach(row -> collect(whole, row.getKey(), row.getValue(), complete, open));
            assertThat(open).as("open of %s", hosts).isEqualTo(expectedOpen);
            assertThat(complete).as("%s since %s, %s", hosts, since, coverage).isEqualTo(expected);
            assertThat(coverage.isComplete(since))
                    .isEqualTo(since == 0 || coverage.whole() || coverage.since() <= since);
        }
    }

    /** Ignores the reporter of a host, which the state does not contain. */
    private static void collect(
            Period period, Outage outage, String host, SortedSet<String> within, SortedSet<String> open) {
        boolean live = outage.kind() == Outage.Kind.OFFLINE || outage.kind() == Outage.Kind.TORPID;
        Outage known = live
                ? Outage.open(outage.kind(), outage.holder(), outage.reason(), outage.from(), "")
                        .ended(outage.to(), outage.endedBy(), outage.comment())
                : outage;
        if (period.contains(outage)) {
            within.add(host + " " + known);
        }
        if (outage.isOpen()) {
            open.add(host + " " + known);
        }
    }
}
