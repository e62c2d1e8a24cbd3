package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.Key;
import io.muster.daemon.core.AcquireStream;
import io.muster.daemon.core.Answer;
import io.muster.daemon.core.RecentEvents;
import io.muster.daemon.core.Rig;
import io.muster.daemon.core.Sink;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.journal.FaultyDisk;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.MemoryDisk;
import io.muster.daemon.ledger.Condition;
import io.muster.daemon.ledger.Outcome;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.metrics.Metrics;
import io.muster.daemon.service.Tracer;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(300)
class AssemblyTest {
    @TempDir
    private Path directory;

    private final Telemetry telemetry = new Telemetry(new Metrics("test", "test"));
    private final CountDownLatch hanging = new CountDownLatch(1);

    @AfterEach
    void close() {
        hanging.countDown();
        telemetry.close();
    }

    private Config config(String... lines) throws IOException {
        Path file = Files.writeString(
                directory.resolve("muster.toml"),
                "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n[muster]\nsocket = \"" + directory
                        + "/muster.sock\"\nstate-dir = \"" + directory + "/state\"\nmetrics = \"off\"\n"
                        + String.join("\n", lines));
        return Config.load(file, environment());
    }

    private Environment environment() {
        return new Environment(Map.of(), 1000, directory, "host7", 4);
    }

    /** A core on a disk in memory, started as by the daemon. */
    private final class Started implements AutoCloseable {
        final Threads threads = new Threads();
        final Journal journal;
        final Core core;

        Started(FaultyDisk disk) throws Exception {
            Config config = config();
            WallClock clock = RunningDaemon.clock();
            Recovered recovered = new Recovered(100, clock, Machine.REAL);
            journal = Journal.open(disk, JournalSettings.DEFAULT, recovered, telemetry, threads.core(), clock);
            core = threads.onCore(() -> Core.build(journal, null, recovered, config, threads, telemetry));
        }

        Answer drain(String targets) throws Exception {
            CompletableFuture<Answer> answer = new CompletableFuture<>();
            Command drain = Rig.drainCommand(targets, "because");
            threads.core().execute(() -> core.inventory().submit(drain, Rig.ALICE, answer::complete));
            return answer.get(120, TimeUnit.SECONDS);
        }

        long nodes() {
            return core.inventory().state().resources().nodes();
        }

        Idset held() {
            return core.inventory().state().holds().held();
        }

        @Override
        public void close() {
            Stop.close(Machine.REAL, journal, Duration.ofMinutes(2));
            threads.close();
        }
    }

    @Test
    void noMeterIsLeftUnboundWhenTheDaemonIsReady() throws Exception {
        Daemon daemon = Daemon.start(config("admin-socket = \"admin.sock\""), environment(), telemetry, Tracer.OFF);
        assertThat(telemetry.metrics().unbound()).isEmpty();
        assertThat(telemetry.metrics().scrape())
                .contains("muster_nodes{state=\"available\"} 4.0")
                .contains("muster_connections{socket=\"main\"} 0.0")
                .contains("muster_connections{socket=\"admin\"} 0.0")
                .contains("muster_resources{type=\"node\"} 4.0");
        daemon.stop();
        assertThat(directory.resolve("muster.sock")).doesNotExist();
    }

    @Test
    void aFailureToBindOneSocketRemovesTheOthers() throws Exception {
        Files.writeString(directory.resolve("admin.sock"), "precious");
        Config config = config("admin-socket = \"admin.sock\"");
        assertThatThrownBy(() -> Daemon.start(config, environment(), telemetry, Tracer.OFF))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("admin.sock already exists and is not a socket");
        assertThat(directory.resolve("muster.sock")).doesNotExist();
        assertThat(directory.resolve("admin.sock")).hasContent("precious");
        Files.delete(directory.resolve("admin.sock"));
        Daemon.start(config, environment(), telemetry, Tracer.OFF).stop();
    }

    @Test
    void aDiskThatRefusesWritesPreventsTheStartOfAnEmptyDaemonOnly() throws Exception {
        MemoryDisk memory = new MemoryDisk();
        FaultyDisk disk = new FaultyDisk(memory);
        try (Started daemon = new Started(disk)) {
            disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1);
            assertThatThrownBy(() -> new Preparation(daemon.core, daemon.threads).start(config()))
                    .isInstanceOf(IOException.class)
                    .hasMessage("No space left on device");
            disk.fault(FaultyDisk.NONE);
            new Preparation(daemon.core, daemon.threads).start(config());
            daemon.drain("1");
        }
        try (Started daemon = new Started(disk)) {
            disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1);
            new Preparation(daemon.core, daemon.threads).start(config());
            assertThat(daemon.held()).isEqualTo(Idset.of(1));
            assertThat(telemetry.fault()).isEqualTo("No space left on device");

            disk.fault(FaultyDisk.NONE);
            daemon.journal.probe();
            assertThat(daemon.drain("2")).isNotInstanceOf(Answer.Failed.class);
            assertThat(telemetry.fault()).isEmpty();
        }
    }

    /** An R with its graph fills a large part of the heap; if a start kept several of them, they could fill the heap. */
    @Test
    void aStartKeepsOnlyTheLastDefinedR() throws Exception {
        MemoryDisk disk = new MemoryDisk();
        try (Started daemon = new Started(new FaultyDisk(disk))) {
            new Preparation(daemon.core, daemon.threads).start(config());
            new Preparation(daemon.core, daemon.threads).start(sixNodes());
        }
        Recovered recovered = new Recovered(100, RunningDaemon.clock(), Machine.REAL);
        Journal.open(disk, JournalSettings.DEFAULT, recovered, telemetry, Runnable::run, InstantSource.system())
                .close();
        assertThat(recovered.state().resources().nodes()).isEqualTo(6);
        assertThat(recovered.recent().from(1))
                .toIterable()
                .filteredOn(RecentEvents.Item::define)
                .hasSize(2)
                .noneMatch(event -> event.json().text().contains("\"R\""));
    }

    @Test
    void aReloadAppliesTheConfigurationThatTheFullDiskRefusedAtTheStart() throws Exception {
        FaultyDisk disk = new FaultyDisk(new MemoryDisk());
        try (Started daemon = new Started(disk)) {
            new Preparation(daemon.core, daemon.threads).start(config());
        }
        Config six = sixNodes();
        try (Started daemon = new Started(disk)) {
            Preparation preparation = new Preparation(daemon.core, daemon.threads);
            disk.fault((kind, name) -> kind == FaultyDisk.Kind.WRITE ? 0 : -1);
            preparation.start(six);
            assertThat(daemon.nodes()).isEqualTo(4);

            disk.fault(FaultyDisk.NONE);
            preparation.configure(six);
            assertThat(daemon.nodes()).isEqualTo(6);
        }
    }

    @Test
    void aReloadAfterTheSchedulerReleasedAppliesTheWaitingResources() throws Exception {
        try (Started daemon = new Started(new FaultyDisk(new MemoryDisk()))) {
            Preparation preparation = new Preparation(daemon.core, daemon.threads);
            preparation.start(config());
            AcquireStream scheduler = daemon.threads.onCore(
                    () -> daemon.core.streams().acquires().acquire(noting(new ArrayList<>()), Rig.ALICE, null));
            Config six = sixNodes();
            preparation.configure(six);
            assertThat(daemon.nodes()).isEqualTo(4);

            daemon.threads.core().execute(() -> daemon.core.streams().acquires().release(scheduler));
            preparation.configure(six);
            assertThat(daemon.nodes()).isEqualTo(6);
        }
    }

    /** The R that an admin loaded with {@code resource.reload} stays in force as long as the configuration does not change. */
    @Test
    void aReloadOfTheSameConfigurationKeepsTheRThatAnAdminLoaded() throws Exception {
        try (Started daemon = new Started(new FaultyDisk(new MemoryDisk()))) {
            Preparation preparation = new Preparation(daemon.core, daemon.threads);
            preparation.start(config());
            CompletableFuture<Answer> loaded = new CompletableFuture<>();
            Command define = new DefinitionChanges.Define(Rig.nodes("other[0-8]"), "reload", Liveness.Status.ONLINE);
            daemon.threads.core().execute(() -> daemon.core.inventory().submit(define, Rig.ALICE, loaded::complete));
            assertThat(loaded.get(30, TimeUnit.SECONDS)).isNotInstanceOf(Answer.Failed.class);
            preparation.configure(config());
            assertThat(daemon.nodes()).isEqualTo(9);
        }
    }

    @Test
    void aStartLogsThatItReplacesTheRThatAnAdminLoaded() throws Exception {
        MemoryDisk memory = new MemoryDisk();
        try (Started daemon = new Started(new FaultyDisk(memory))) {
            CompletableFuture<Answer> loaded = new CompletableFuture<>();
            Command define = new DefinitionChanges.Define(Rig.nodes("other[0-8]"), "reload", Liveness.Status.ONLINE);
            daemon.threads.core().execute(() -> daemon.core.inventory().submit(define, Rig.ALICE, loaded::complete));
            assertThat(loaded.get(30, TimeUnit.SECONDS)).isNotInstanceOf(Answer.Failed.class);
        }
        Logger logger = (Logger) LoggerFactory.getLogger("muster");
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        try (Started daemon = new Started(new FaultyDisk(memory))) {
            new Preparation(daemon.core, daemon.threads).start(config());
            new Preparation(daemon.core, daemon.threads).start(config());
            assertThat(daemon.nodes()).isEqualTo(4);
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(logged.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("is replaced"))
                .containsExactly(
                        "the R that an admin loaded, with 9 nodes, is replaced by the R of the configuration, with 4");
    }

    @Test
    void losingTheLeadBeforeTheConfigurationIsInForceIsNotLoggedAsAnError() throws Exception {
        Logger logger = (Logger) LoggerFactory.getLogger("muster");
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        try (Started daemon = new Started(new FaultyDisk(new MemoryDisk()))) {
            new Preparation(daemon.core, daemon.threads).start(config());
            Answer.Failed elsewhere = new Answer.Failed(Answer.Failed.Kind.ELSEWHERE, "another daemon leads");
            daemon.threads.onCore(() -> {
                daemon.core.inventory().refuse(elsewhere, false);
                return true;
            });
            logger.addAppender(logged);
            new Preparation(daemon.core, daemon.threads).start(config());
        } finally {
            logger.detachAppender(logged);
        }
        assertThat(logged.list)
                .extracting(line -> line.getLevel() + " " + line.getFormattedMessage())
                .contains("INFO the configuration is not in force yet: another daemon leads")
                .noneMatch(line -> line.startsWith("ERROR"));
    }

    @Test
    void onlyKeysThatDifferFromTheStartAreLoggedAsWaitingForTheNextStart() throws Exception {
        Config first = config("log-level = \"info\"");
        Daemon daemon = Daemon.start(first, environment(), telemetry, Tracer.OFF);
        String waiting = Key.HISTORY_SIZE + " takes effect at the next start";
        assertThat(reload(daemon, "history-size = \"2GiB\"")).contains(waiting);
        assertThat(reload(daemon, "history-size = \"2GiB\""))
                .as("it still does")
                .contains(waiting);
        assertThat(reload(daemon, "log-level = \"info\"")).containsExactly("configuration reloaded");
        daemon.stop();
    }

    /** @return the lines of the log */
    private List<String> reload(Daemon daemon, String... lines) throws IOException {
        config(lines);
        Logger logger = (Logger) LoggerFactory.getLogger("muster");
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        try {
            assertThat(daemon.reload(new Config.Source(directory.resolve("muster.toml"), null, null))
                            .reload())
                    .isTrue();
        } finally {
            logger.detachAppender(logged);
        }
        return logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void aSocketThatCannotBeRemovedDoesNotPreventTheStop() throws Exception {
        Daemon daemon = Daemon.start(config(), environment(), telemetry, Tracer.OFF);
        Files.delete(directory.resolve("muster.sock"));
        Files.createDirectories(directory.resolve("muster.sock/in/the/way"));
        daemon.stop();
        assertThat(daemon.threads.core().isTerminated()).isTrue();
    }

    @Test
    void aStoppingDaemonDoesNotRemoveASocketOfAnotherProcess() throws Exception {
        Daemon daemon = Daemon.start(config(), environment(), telemetry, Tracer.OFF);
        Path socket = directory.resolve("muster.sock");
        List<String> conditions = new ArrayList<>();
        telemetry.onCondition(() -> conditions.add(telemetry.unreachable()));
        daemon.lookAtSockets();
        assertThat(telemetry.health(0).ok()).isTrue();
        Files.move(socket, directory.resolve("moved.sock"));
        daemon.lookAtSockets();
        assertThat(telemetry.health(0).reasons())
                .containsExactly(
                        "the socket " + socket + " was removed, so nobody can connect to it: restart the daemon");
        try (ServerSocketChannel other =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket))) {
            assertThat(other.isOpen()).isTrue();
            daemon.lookAtSockets();
            assertThat(telemetry.health(0).reasons().get(0)).contains(" was replaced by another file");
            daemon.stop();
            assertThat(socket).exists();
        }
        daemon.lookAtSockets();
        assertThat(conditions).hasSize(3).last().isEqualTo("");
    }

    @Test
    void theGaugesOfTheStartDoNotRetainTheRecoveredState() {
        WeakReference<Recovered> recovered = recovered();
        while (recovered.get() != null) {
            System.gc();
        }
        assertThat(telemetry.metrics().scrape()).contains("muster_replay_events 0.0");
    }

    private WeakReference<Recovered> recovered() {
        Recovered recovered = new Recovered(1, RunningDaemon.clock(), Machine.REAL);
        telemetry.recovered(recovered, directory);
        return new WeakReference<>(recovered);
    }

    private Config sixNodes() throws IOException {
        Config six = config("[[resource.config]]", "hosts = \"node[4-5]\"", "cores = \"0-3\"");
        assertThat(six.resources().set().nodes()).isEqualTo(6);
        return six;
    }

    @Test
    void aDiskThatHangsDoesNotPreventTheStop() throws Exception {
        FaultyDisk disk = new FaultyDisk(new MemoryDisk());
        Started daemon = new Started(disk);
        new Preparation(daemon.core, daemon.threads).start(config());
        List<String> received = new CopyOnWriteArrayList<>();
        daemon.threads.onCore(() -> daemon.core.streams().acquires().acquire(noting(received), Rig.ALICE, null));
        disk.fault((kind, name) -> {
            if (kind == FaultyDisk.Kind.FORCE) {
                awaitEndOfTest();
            }
            return -1;
        });
        CompletableFuture<Answer> unanswered = new CompletableFuture<>();
        Command drain = Rig.drainCommand("1", "x");
        daemon.threads.core().execute(() -> daemon.core.inventory().submit(drain, Rig.ALICE, unanswered::complete));

        new Stop(daemon.core, daemon.threads, List.of(), reason -> {}, Duration.ofSeconds(2)).run();
        daemon.threads.close();

        assertThat(received).containsExactly("first", "ECANCELED the daemon is stopping");
        assertThat(unanswered).isNotDone();
    }

    private void awaitEndOfTest() {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Sink noting(List<String> received) {
        return new Sink() {
            @Override
            public boolean isWritable() {
                return true;
            }

            @Override
            public @Nullable RpcException refusal(Bytes payload) {
                return null;
            }

            @Override
            public void send(Bytes payload) {
                received.add("first");
            }

            @Override
            public void end(RpcException reason) {
                received.add(reason.errno().name() + " " + reason.sentence());
            }
        };
    }

    @Test
    void changesInFlightAreAnsweredBeforeTheStop() throws Exception {
        Started daemon = new Started(new FaultyDisk(new MemoryDisk()));
        new Preparation(daemon.core, daemon.threads).start(config());
        CompletableFuture<Answer> answered = new CompletableFuture<>();
        Command drain = Rig.drainCommand("1", "x");
        daemon.threads.core().execute(() -> daemon.core.inventory().submit(drain, Rig.ALICE, answered::complete));
        new Stop(daemon.core, daemon.threads, List.of(), reason -> {}, Duration.ofMinutes(2)).run();
        daemon.threads.close();
        assertThat(answered).isDone();
        assertThat(answered.get()).isNotInstanceOf(Answer.Failed.class);
    }

    @Test
    void aSnapshotUnderWayIsWrittenBeforeTheStop() throws Exception {
        Started daemon = new Started(new FaultyDisk(new MemoryDisk()));
        new Preparation(daemon.core, daemon.threads).start(config());
        daemon.threads.worker().execute(this::awaitEndOfTest);
        daemon.threads.onCore(() -> {
            daemon.core.snapshots().refresh();
            return true;
        });
        new Stop(daemon.core, daemon.threads, List.of(), reason -> hanging.countDown(), Duration.ofMinutes(2)).run();
        daemon.threads.close();
        assertThat(daemon.journal.snapshotSeq()).isPositive();
    }

    @Test
    void aSnapshotThatFailedIsTakenAgainAtTheStop() throws Exception {
        FaultyDisk disk = new FaultyDisk(new MemoryDisk());
        Started daemon = new Started(disk);
        new Preparation(daemon.core, daemon.threads).start(config());
        disk.fault((kind, name) -> {
            if (name.startsWith("snapshot")) {
                throw FaultyDisk.full();
            }
            return -1;
        });
        CompletableFuture<Outcome> failed = new CompletableFuture<>();
        daemon.threads.core().execute(() -> daemon.core.snapshots().finish().thenAccept(failed::complete));
        assertThat(failed.get(60, TimeUnit.SECONDS).durable()).isFalse();
        disk.fault(FaultyDisk.NONE);
        new Stop(daemon.core, daemon.threads, List.of(), reason -> {}, Duration.ofMinutes(2)).run();
        daemon.threads.close();
        assertThat(daemon.journal.snapshotSeq()).isPositive();
    }

    @Test
    void otherWorkOfTheWorkerDoesNotDelayTheStop() throws Exception {
        Started daemon = new Started(new FaultyDisk(new MemoryDisk()));
        new Preparation(daemon.core, daemon.threads).start(config());
        CompletableFuture<Outcome> written = new CompletableFuture<>();
        daemon.threads.core().execute(() -> daemon.core.snapshots().finish().thenAccept(written::complete));
        assertThat(written.get(60, TimeUnit.SECONDS)).isEqualTo(Outcome.DURABLE);
        daemon.threads.worker().execute(this::awaitEndOfTest);
        new Stop(daemon.core, daemon.threads, List.of(), reason -> {}, Duration.ofHours(1)).run();
        hanging.countDown();
        daemon.threads.close();
    }

    @Test
    void healthReportsWhyChangesWait() throws InterruptedException, ExecutionException, TimeoutException {
        assertThat(telemetry.health(0.5).ok()).isTrue();
        assertThat(telemetry.health(7.4).reasons())
                .containsExactly("changes wait: the ledger has not answered for 7 s");
        CompletableFuture<String> status = new CompletableFuture<>();
        telemetry.onCondition(() -> status.complete(telemetry.fault()));
        telemetry.condition(Condition.READ_ONLY, "No space left on device");
        assertThat(telemetry.health(0).reasons()).containsExactly("changes are refused: No space left on device");
        assertThat(status.get(60, TimeUnit.SECONDS)).isEqualTo("No space left on device");
    }
}
