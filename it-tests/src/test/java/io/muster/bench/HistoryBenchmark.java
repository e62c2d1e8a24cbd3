package io.muster.bench;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Pause;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.ledger.Outcome;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessChange;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.LivenessChanges;
import io.muster.inventory.state.StateJson;
import io.muster.it.harness.DaemonProcess;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Measures how long a daemon takes to answer {@code resource.history} about one host, and {@code resource.availability} about all, from sending the request until the whole answer has
 * arrived. The first daemon is asked at once; the second one after it has made the sums that questions about availability use. The journal of a year is written first, unless the directory has one. Run it on the disk that is to be measured: {@code java -cp
 * ... io.muster.bench.HistoryBenchmark /var/tmp/year 10000 1000000}, with a number of hosts and one of events.
 */
public final class HistoryBenchmark {
    private static final int IN_RACK = 40;
    private static final int IN_BATCH = 1000;
    private static final int SNAPSHOT_EVERY = 100_000;
    private static final int LATER = 8;
    /** Time after which the JVM of a daemon has compiled the code that most requests use. */
    private static final long WARM_UP_MILLIS = 4000;

    private static final double YEAR = Duration.ofDays(365).toSeconds();
    private static final Principal ADA = new Principal(1001, "ada", 7, 1001);

    private final Path directory;
    private final String hosts;
    private final int count;
    private final Random random = new Random(1);
    private InventoryState state = InventoryState.empty();
    private double now = System.currentTimeMillis() / 1000.0 - YEAR;
    private long seq;
    private List<byte[]> lines = new ArrayList<>();

    private HistoryBenchmark(Path directory, int count) {
        this.directory = directory;
        this.count = count;
        this.hosts = String.format(Locale.ROOT, "r[000-%03d]n[00-%02d]", count / IN_RACK - 1, IN_RACK - 1);
    }

    public static void main(String[] args) throws Exception {
        HistoryBenchmark benchmark = new HistoryBenchmark(Path.of(args[0]), Integer.parseInt(args[1]));
        benchmark.write(Integer.parseInt(args[2]));
        benchmark.measure(false);
        benchmark.measure(true);
    }

    private void write(int events) throws IOException {
        Path stateDir = directory.resolve("state");
        if (Files.exists(stateDir)) {
            return;
        }
        Files.createDirectories(directory);
        Replay none = new Replay() {
            @Override
            public void snapshot(long at, double timestamp, ObjectNode json) {}

            @Override
            public void event(JournalRecord event) {}
        };
        JournalSettings settings =
                new JournalSettings(64 << 20, Duration.ofDays(400), 1L << 40, () -> false, Duration.ZERO);
        try (Journal target = Journal.open(
                LocalDisk.at(stateDir), settings, none, new LedgerListener() {}, Runnable::run, this::instant)) {
            Hostlist names = Hostlist.parse(hosts);
            ResourceSet resources =
                    ResourceSet.of(names, Idset.range(0, count - 1), Idset.range(0, 63), Idset.EMPTY, Map.of());
            run(target, new DefinitionChanges.Define(resources, "configuration", Liveness.Status.ONLINE));
            double begin = now;
            while (seq < events) {
                now = Epoch.rounded(begin + YEAR * seq / events);
                run(target, command());
            }
        }
    }

    private Instant instant() {
        return Instant.ofEpochMilli((long) (now * 1000));
    }

    private void run(Journal journal, Command command) {
        for (Event event : command.decide(state, now, ADA).events()) {
            Entry entry = new Entry(++seq, now, ADA, event);
            lines.add(entry.toBytes());
            state = entry.applyTo(state);
            if (lines.size() == IN_BATCH) {
                for (int i = 0; i < IN_BATCH; i++) {
                    journal.submit(new Batch(seq - IN_BATCH + 1 + i, List.of(lines.get(i)), outcome -> {}));
                }
                lines = new ArrayList<>();
            }
            if (seq % SNAPSHOT_EVERY == 0) {
                CompletableFuture<Outcome> done = new CompletableFuture<>();
                journal.snapshot(seq, StateJson.toBytes(state), done::complete);
                if (!done.join().durable()) {
                    throw new IllegalStateException(done.join().reason());
                }
            }
        }
    }

    private int rank() {
        return (int) (count * Math.pow(random.nextDouble(), 2));
    }

    private Command command() {
        int kind = random.nextInt(1000);
        int rack = random.nextInt(count / IN_RACK);
        String targets = kind == 0
                ? hosts
                : kind < 100
                        ? String.format(Locale.ROOT, "r%03dn[00-%02d]", rack, IN_RACK - 1)
                        : kind < 150 ? rank() + "," + rank() + "," + rank() + "," + rank() : Integer.toString(rank());
        return switch (random.nextInt(4)) {
            case 0 -> new HoldChanges.Drain(targets, "memory errors", HoldChanges.Mode.UPDATE, "admin", 0);
            case 1 -> new HoldChanges.Undrain(targets, "replaced", HoldChanges.Mode.UPDATE, "admin");
            case 2 -> new LivenessChanges.SetLiveness(LivenessChange.OFFLINE, targets, "probe");
            default -> new LivenessChanges.SetLiveness(LivenessChange.ONLINE, targets, "probe");
        };
    }

    /** @param quiet whether to wait until the daemon has made all sums of a year without any */
    private void measure(boolean quiet) throws IOException {
        Path journal = directory.resolve("state/journal");
        for (Path sums : files(journal, "*.sums")) {
            Files.delete(sums);
        }
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        directory, DaemonProcess.Setup.nodes(hosts), "[resource]\nhistory = \"400d\"")
                .jvm("-XX:+UseSerialGC", "-Xms16m", "-Xmx1g");
        try (DaemonProcess daemon = setup.start()) {
            Pause.of(WARM_UP_MILLIS);
            long waits = System.nanoTime();
            while (quiet
                    && files(journal, "*.sums").size() + 1
                            < files(journal, "*.log").size()) {
                Pause.of(10);
            }
            if (quiet) {
                System.out.printf(
                        Locale.ROOT, "sums made, ms: %.0f%n", WARM_UP_MILLIS + (System.nanoTime() - waits) / 1e6);
            }
            measureAvailability(daemon);
            for (int rank : new int[] {count - 1, 0}) {
                String host = Hostlist.parse(hosts).nth(rank);
                StringBuilder line = new StringBuilder(host + ", ms (of which processor time of its thread):");
                int rows = 0;
                for (int i = 0; i <= LATER; i++) {
                    double before = processorMillis(daemon.pid());
                    long start = System.nanoTime();
                    rows = ask(daemon, host);
                    double took = (System.nanoTime() - start) / 1e6;
                    double used = processorMillis(daemon.pid()) - before;
                    line.append(String.format(Locale.ROOT, " %.0f (%.0f)", took, used));
                }
                System.out.println(line.append(", ").append(rows).append(" rows"));
            }
            daemon.stop();
        }
    }

    private static List<Path> files(Path of, String glob) throws IOException {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(of, glob)) {
            List<Path> files = new ArrayList<>();
            found.forEach(files::add);
            return files;
        }
    }

    private static void measureAvailability(DaemonProcess daemon) throws IOException {
        StringBuilder line = new StringBuilder("availability, ms (of which processor time of its thread):");
        for (int i = 0; i <= LATER; i++) {
            double before = processorMillis(daemon.pid());
            long start = System.nanoTime();
            try (FluxClient client = daemon.connect()) {
                ObjectNode question = JsonNodeFactory.instance.objectNode().put("bars", 73);
                client.rpc("resource.availability", i % 2 == 0 ? question : question.put("by", "host"));
            }
            double used = processorMillis(daemon.pid()) - before;
            line.append(String.format(Locale.ROOT, " %.0f (%.0f)", (System.nanoTime() - start) / 1e6, used));
        }
        System.out.println(line);
    }

    /** The processor time of the thread that reads the journal. */
    private static double processorMillis(long pid) throws IOException {
        double sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc", Long.toString(pid), "task"))) {
            for (Path thread : threads) {
                if (Files.readString(thread.resolve("comm")).equals("past\n")) {
                    sum += Long.parseLong(Files.readString(thread.resolve("schedstat"))
                                    .split(" ", 2)[0])
                            / 1e6;
                }
            }
        }
        return sum;
    }

    private static int ask(DaemonProcess daemon, String host) throws IOException {
        try (FluxClient client = daemon.connect()) {
            ObjectNode question = JsonNodeFactory.instance.objectNode().put("targets", host);
            return client.rpc("resource.history", question).path("intervals").size();
        }
    }
}
