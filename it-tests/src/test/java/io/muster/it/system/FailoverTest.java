package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.daemon.etcd.LedgerAdmin;
import io.muster.inventory.idset.Idset;
import io.muster.it.cast.DistantScheduler;
import io.muster.it.cast.JournalReader;
import io.muster.it.cast.LogWitness;
import io.muster.it.cast.PatientAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import io.muster.testing.SeedSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three daemons on an etcd of three members, under load and with a scheduler behind a relay, while leaders and members fail.
 * {@code -Dmuster.failovers=2000} runs longer, {@code -Dmuster.seed=42} chooses other faults and moments.
 */
@Timeout(value = 8, unit = TimeUnit.HOURS)
@Needs({"etcd", "etcdctl", "openssl"})
@Tag("long")
@Tag("failover")
class FailoverTest {
    private static final int FAILOVERS = Integer.getInteger("muster.failovers", 30);
    private static final int SIZE = 3;
    private static final int ADMINS = 4;
    private static final int SAID_EVERY = 50;
    /** Events between snapshots: etcd keeps many more events than are written while a daemon is away, and deletes some in a build. */
    private static final int SNAPSHOT_EVERY = 10_000;
    /** The last three keep the log of a member short, which the member reads at its start. */
    private static final String[] ETCD_OPTIONS = {
        "--quota-backend-bytes=8589934592", "--snapshot-count=10000", "--max-wals=1", "--max-snapshots=1"
    };

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private enum Fault {
        KILL,
        FREEZE,
        STOP,
        STEP_DOWN,
        KILL_MEMBER,
        FREEZE_MEMBER,
        KILL_LEADER_AND_MEMBER,
        REPLACE_MEMBER,
        ROLLING_RESTART,
        START_ON_A_COPY
    }

    /** Measures the time from a fault to the first answer that it may have delayed. */
    private static final class Watch {
        private long since;
        private @Nullable String gone;
        private long took = -1;

        /**
         * Records that the fault has happened.
         *
         * @param uri the daemon whose answers do not count; null if the answers to all later changes count
         */
        synchronized void start(@Nullable String uri) {
            since = System.nanoTime();
            gone = uri;
            took = -1;
        }

        synchronized void answered(String uri, long sent) {
            if (took < 0 && (gone == null ? sent - since >= 0 : !uri.equals(gone))) {
                took = System.nanoTime() - since;
            }
        }

        synchronized long took() {
            return took;
        }
    }

    private final Watch watch = new Watch();
    private final Map<Fault, List<Long>> times = new EnumMap<>(Fault.class);
    private final List<PatientAdmin> admins = new ArrayList<>();
    private final List<JournalReader> readers = new ArrayList<>();

    @Test
    void noFailoverLosesRepeatsOrReordersAnsweredChanges() throws Exception {
        String given = System.getProperty("muster.seed", "");
        long seed = given.isEmpty() ? 1 : Long.parseLong(given);
        System.out.println(FAILOVERS + " failovers, seed " + seed);
        try (EtcdCluster etcd = EtcdCluster.secured(
                        Files.createDirectory(directory.resolve("etcd")),
                        SIZE,
                        Pki.in(directory.resolve("pki")),
                        ETCD_OPTIONS);
                DistantScheduler distant =
                        new DistantScheduler(directory.resolve("distant"), Collections.nCopies(SIZE, "127.0.0.1"));
                LedgerDaemons daemons = new LedgerDaemons(setups(etcd, distant))) {
            LogWitness witness = new LogWitness(etcd, ADMINS);
            try {
                begin(daemons, witness);
                distant.start();
                play(SeedSource.random(seed), etcd, daemons, witness);
                judge(daemons, witness, distant);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        "-Dmuster.seed=" + seed + ", state in " + directory + ": " + e.getMessage(), e);
            } finally {
                end(witness);
            }
        }
    }

    private List<DaemonProcess.Setup> setups(EtcdCluster etcd, DistantScheduler distant) throws IOException {
        List<DaemonProcess.Setup> setups = new ArrayList<>();
        for (int i = 0; i < SIZE; i++) {
            setups.add(LedgerDaemons.setup(
                    directory.resolve("d" + i),
                    etcd,
                    "snapshot-every = " + SNAPSHOT_EVERY,
                    "history-size = \"8GiB\"",
                    PatientAdmin.hosts(ADMINS),
                    distant.listener(i)));
        }
        String[] jvm = setups.get(0).trained().jvm().toArray(String[]::new);
        return setups.stream().map(setup -> setup.jvm(jvm)).toList();
    }

    private void begin(LedgerDaemons daemons, LogWitness witness) {
        for (int i = 0; i < SIZE; i++) {
            daemons.start(i);
            readers.add(new JournalReader(daemons.uri(i)));
        }
        for (int i = 0; i < ADMINS; i++) {
            admins.add(new PatientAdmin(i, daemons.uris(), watch::answered));
        }
        witness.start();
        readers.forEach(Thread::start);
        admins.forEach(Thread::start);
    }

    private void end(LogWitness witness) throws InterruptedException {
        for (PatientAdmin admin : admins) {
            admin.end();
        }
        for (JournalReader reader : readers) {
            reader.end();
        }
        witness.end();
    }

    private void play(Random random, EtcdCluster etcd, LedgerDaemons daemons, LogWitness witness) throws Exception {
        Fault[] all = Fault.values();
        for (int i = 1; i <= FAILOVERS; i++) {
            pause(random, 100, 500);
            Fault fault = all[random.nextInt(all.length)];
            try {
                cause(fault, random, etcd, daemons);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("failover " + i + ", " + fault + ": " + e.getMessage(), e);
            }
            times.computeIfAbsent(fault, none -> new ArrayList<>()).add(watch.took());
            if (i % SAID_EVERY == 0 || i == FAILOVERS) {
                System.out.println(i + " failovers, " + witness.terms() + " terms, " + witness.last() + " events");
                times.forEach((kind, list) -> System.out.println(line(kind, list)));
            }
        }
    }

    private static void pause(Random random, int least, int more) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(least + random.nextInt(more)));
    }

    private static String line(Fault fault, List<Long> times) {
        List<Long> sorted = times.stream().sorted().toList();
        return String.format(
                Locale.ROOT,
                "%s, %d times: first answer after %.3f s (least), %.3f s (median), %.3f s (99th percentile)",
                fault,
                sorted.size(),
                sorted.get(0) / 1e9,
                sorted.get(sorted.size() / 2) / 1e9,
                sorted.get((int) (sorted.size() * 0.99)) / 1e9);
    }

    /** Causes a fault, waits for the first answer after the fault, and repairs everything. */
    private void cause(Fault fault, Random random, EtcdCluster etcd, LedgerDaemons daemons) throws Exception {
        int leader = daemons.awaitLeader();
        switch (fault) {
            case KILL -> {
                daemons.kill(leader);
                watch.start(null);
                awaitAnswer();
                pause(random, 0, 1000);
                daemons.start(leader);
            }
            case FREEZE -> {
                daemons.get(leader).signal("STOP");
                watch.start(null);
                pause(random, (int) LedgerDaemons.TTL.toMillis() + 500, 2500);
                daemons.get(leader).signal("CONT");
                awaitAnswer();
            }
            case STOP -> {
                watch.start(daemons.uri(leader));
                daemons.stop(leader);
                awaitAnswer();
                daemons.start(leader);
            }
            case STEP_DOWN -> {
                stepDown(leader);
                watch.start(null);
                awaitAnswer();
            }
            case KILL_MEMBER, FREEZE_MEMBER, REPLACE_MEMBER -> failMember(fault, random, etcd);
            case KILL_LEADER_AND_MEMBER -> {
                int first = etcd.leader();
                etcd.kill(first);
                daemons.kill(leader);
                watch.start(null);
                awaitAnswer();
                etcd.startMember(first);
                etcd.awaitMember(first);
                daemons.start(leader);
            }
            case ROLLING_RESTART -> {
                watch.start(null);
                for (int i = 0; i < SIZE; i++) {
                    daemons.stop(i);
                    daemons.start(i);
                }
                awaitAnswer();
            }
            case START_ON_A_COPY -> startOnACopy(random.nextInt(SIZE), daemons);
        }
    }

    private void failMember(Fault fault, Random random, EtcdCluster etcd) throws Exception {
        int member = random.nextInt(SIZE);
        switch (fault) {
            case KILL_MEMBER -> {
                etcd.kill(member);
                watch.start(null);
                pause(random, 0, 3000);
                awaitAnswer();
                etcd.startMember(member);
                etcd.awaitMember(member);
            }
            case FREEZE_MEMBER -> {
                etcd.pause(member);
                watch.start(null);
                pause(random, 500, 4000);
                etcd.resume(member);
                awaitAnswer();
            }
            default -> {
                watch.start(null);
                etcd.replace(member);
                awaitAnswer();
            }
        }
    }

    /** Kills a daemon and starts it on a copy of its state directory that was taken while the daemon wrote. */
    private void startOnACopy(int daemon, LedgerDaemons daemons) throws IOException {
        Path state = daemons.stateDir(daemon);
        Path copy = state.resolveSibling("copy");
        Tool.run("cp", "-r", state.toString(), copy.toString());
        daemons.kill(daemon);
        watch.start(null);
        Tool.run("rm", "-r", state.toString());
        Files.move(copy, state);
        daemons.start(daemon);
        awaitAnswer();
    }

    private void stepDown(int leader) throws IOException {
        Path config = directory.resolve("d" + leader).resolve("muster.toml");
        try (LedgerAdmin ledger =
                new LedgerAdmin(Config.load(config, Environment.ofProcess()).ledger())) {
            ledger.stepDown();
        }
    }

    private void awaitAnswer() {
        await().atMost(Output.PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> {
            for (PatientAdmin admin : admins) {
                assertThat(admin.failure()).as(admin.getName()).isNull();
            }
            return watch.took() >= 0;
        });
    }

    private void judge(LedgerDaemons daemons, LogWitness witness, DistantScheduler distant) throws Exception {
        List<List<PatientAdmin.Change>> changes = new ArrayList<>();
        for (PatientAdmin admin : admins) {
            changes.add(admin.finish());
        }
        int leader = daemons.awaitLeader();
        long last = daemons.awaitAgreement();
        ObjectNode state = lasting(daemons.get(leader).ask("resource.state"));
        for (int i = 0; i < SIZE; i++) {
            assertThat(lasting(daemons.get(i).ask("resource.state")))
                    .as("the state of daemon %d, beside that of the leader", i)
                    .isEqualTo(state);
        }
        Idset drained = Idset.EMPTY;
        for (String ranks : names(daemons.get(leader).ask("resource.status").path("drain"))) {
            drained = drained.union(Idset.parse(ranks));
        }
        Idset up = Idset.range(0, ADMINS * PatientAdmin.HOSTS - 1).subtract(drained);
        await().atMost(Output.PATIENCE)
                .untilAsserted(() -> assertThat(distant.knowledge().up()).isEqualTo(up));
        System.out.println("the scheduler was sent " + distant.knowledge().responses()
                + " responses in one stream, and knows what the leader shows");
        await().atMost(Output.PATIENCE).until(() -> reached(witness.last(), last, witness.failure()));
        for (JournalReader reader : readers) {
            await().atMost(Output.PATIENCE).until(() -> reached(reader.last(), last, reader.failure()));
        }
        witness.finish();
        for (JournalReader reader : readers) {
            reader.finish().forEach((seq, event) -> witness.check(seq, event, reader.getName()));
        }
        assertThat(daemons.ledger("verify")).startsWith("the ledger in etcd is sound: ");
        for (int i = 0; i < SIZE; i++) {
            if (i != leader) {
                daemons.stop(i);
            }
        }
        daemons.stop(leader);
        for (int i = 0; i < SIZE; i++) {
            witness.checkCopy(daemons.stateDir(i));
        }
        for (int i = 0; i < ADMINS; i++) {
            assertThat(witness.seqs(i))
                    .as("the events of admin %d, beside the answers", i)
                    .isEqualTo(changes.get(i).stream()
                            .map(PatientAdmin.Change::seq)
                            .toList());
        }
        checkOrder(changes.stream().flatMap(List::stream).toList());
    }

    private static boolean reached(long seq, long last, @Nullable Throwable failure) {
        assertThat(failure).isNull();
        return seq >= last;
    }

    /** Checks the order of events: a change that was sent after the answer to another change must have the later event. */
    private static void checkOrder(List<PatientAdmin.Change> changes) {
        long latest = Long.MIN_VALUE;
        for (PatientAdmin.Change change : changes.stream()
                .sorted(Comparator.comparingLong(PatientAdmin.Change::seq))
                .toList()) {
            assertThat(change.answered())
                    .as("when the change at seq %d was answered; an earlier seq was sent later", change.seq())
                    .isGreaterThanOrEqualTo(latest);
            latest = Math.max(latest, change.sent());
        }
        System.out.println(changes.size() + " changes were answered, each has one event, in the order of the answers");
    }

    private static List<String> names(JsonNode object) {
        List<String> names = new ArrayList<>();
        object.fieldNames().forEachRemaining(names::add);
        return names;
    }

    /** The inventory without the keys that differ between daemons or change with time. */
    private static ObjectNode lasting(ObjectNode inventory) {
        inventory.remove(List.of("schedulers", "usage", "waiting", "journal_bytes"));
        return inventory;
    }
}
