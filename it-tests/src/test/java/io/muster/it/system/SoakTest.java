package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.it.cast.ManySchedulers;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Peer;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.testing.SchedulerModel;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Very many peers for a long time. {@code -Dmuster.soak.seconds=600} runs longer. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
@Tag("long")
@Tag("soak")
class SoakTest {
    private static final int SECONDS = Integer.getInteger("muster.soak.seconds", 60);
    private static final int STREAMS = 1000;
    private static final int IDLE = 5000;
    /** Memory for the last changes, which are kept for followers of the journal: far less than 20 bytes for each response. */
    private static final long EVENTS_KEPT = 4 << 20;

    /** Number of events that are kept for followers of the journal. */
    private static final int EVENTS = 10_000;
    /** The least number of bytes that a leak would keep for each change. */
    private static final long LEAST_LEAK = 20;

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess start(String... config) throws Exception {
        List<String> lines = new ArrayList<>(List.of("acquire = \"shared\"", "snapshot-every = 100"));
        lines.addAll(List.of(config));
        // The heap has its full, small size from the start; a buffer that is not released is reported in the log; and
        // the JVM starts no additional threads under load.
        DaemonProcess daemon = DaemonProcess.Setup.in(directory, lines.toArray(String[]::new))
                .jvm(
                        "-XX:+UseSerialGC",
                        "-Xms48m",
                        "-Xmx48m",
                        "-XX:+AlwaysPreTouch",
                        "-XX:MaxDirectMemorySize=64m",
                        "-XX:-UseDynamicNumberOfCompilerThreads",
                        "-Dio.netty.leakDetection.level=simple",
                        "-Dio.netty.leakDetection.samplingInterval=16")
                .start();
        allowFiles(daemon.pid());
        allowFiles(ProcessHandle.current().pid());
        return daemon;
    }

    /** Raises the limit of open files. A JVM has raised its soft limit to the hard one itself; more needs root. */
    private static void allowFiles(long pid) throws IOException {
        if (DaemonProcess.mostOpenFiles(pid) < IDLE + 3000) {
            Tool.run("prlimit", "--pid", Long.toString(pid), "--nofile=" + (IDLE + 3000));
        }
    }

    /**
     * Values that must not grow.
     *
     * @param live reachable bytes of the heap
     * @param resident resident memory in megabytes
     */
    private record Footprint(long live, long resident, long threads, int files) {
        /** Memory in megabytes that a JVM still gains long after its warm-up, for compiled code, the collector and the allocator. */
        private static final long NOISE = 64;

        static Footprint of(DaemonProcess daemon) throws IOException {
            long live = daemon.liveBytes(); // a thread of the JVM answers this, so it is counted each time
            return new Footprint(live, daemon.residentMegabytes(), daemon.threads(), daemon.openFiles());
        }

        /** @param bytes that may be reachable in addition to those of {@code before} */
        void isNoMoreThan(Footprint before, long bytes) {
            assertThat(live).as("live bytes, %s before", before).isLessThan(before.live + bytes);
            assertThat(resident).as("megabytes, %s before", before).isLessThan(before.resident + NOISE);
        }

        /**
         * Waits until there are no more threads and open files than before. A snapshot or a new segment opens a file for a moment,
         * and the JVM keeps the threads that wait for a process for a minute; a leak keeps them.
         */
        void areGivenBack(DaemonProcess daemon) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(daemon.openFiles()).as("files").isLessThanOrEqualTo(files + 1);
                assertThat(daemon.threads()).as("threads").isLessThanOrEqualTo(threads);
            });
        }
    }

    @Test
    void aThousandStreamsAgreeWithTheDaemonAndTheirMemoryDoesNotGrow() throws Exception {
        DaemonProcess daemon = start(RecordingAdmin.resources());
        try (daemon;
                RecordingAdmin recorder = RecordingAdmin.at(daemon, 10);
                FluxClient client = daemon.connect()) {
            ManySchedulers schedulers = ManySchedulers.of(STREAMS, daemon.socket());
            await().atMost(PATIENCE)
                    .until(() -> schedulers.whoKnow(recorder.up()) == STREAMS || schedulers.failure() != null);
            work(client, SECONDS / 3, schedulers);
            Footprint warm = Footprint.of(daemon);
            long heard = schedulers.responses();
            long changes = work(client, SECONDS - SECONDS / 3, schedulers);
            recorder.write(1);
            Idset up = Idset.parse(client.rpc("resource.state", null).path("up").asText());
            await().atMost(PATIENCE).until(() -> schedulers.whoKnow(up) == STREAMS || schedulers.failure() != null);
            assertThat(schedulers.failure()).isNull();
            Footprint end = Footprint.of(daemon);
            System.out.println(SECONDS + " s with " + STREAMS + " streams: " + changes + " changes and "
                    + (schedulers.responses() - heard) + " responses after the first third, when there was " + warm
                    + "; at the end " + end);
            end.isNoMoreThan(warm, EVENTS_KEPT);
            warm.areGivenBack(daemon);
            schedulers.close();
        }
    }

    /** Memory must not grow even after ten times as many changes as are kept for followers of the journal. */
    @Test
    void changesLeakNoMemory() throws Exception {
        DaemonProcess daemon = start(RecordingAdmin.resources());
        try (daemon;
                FluxClient client = daemon.connect()) {
            ManySchedulers schedulers = ManySchedulers.of(10, daemon.socket());
            change(client, 2 * EVENTS);
            Footprint before = Footprint.of(daemon);
            change(client, 10 * EVENTS);
            Footprint end = Footprint.of(daemon);
            System.out.println(10 * EVENTS + " changes: before " + before + ", after " + end);
            end.isNoMoreThan(before, 10 * EVENTS * LEAST_LEAK);
            before.areGivenBack(daemon);
            assertThat(schedulers.failure()).isNull();
            schedulers.close();
        }
    }

    /** Changes ranks, with some requests sent before earlier ones are answered. */
    private static void change(FluxClient client, int count) throws IOException {
        Deque<SentRequest> open = new ArrayDeque<>();
        for (int i = 0; i < count; i++) {
            open.add(toggling(client, i, "40-63"));
            if (open.size() == 64) {
                open.remove().get();
            }
        }
        while (!open.isEmpty()) {
            open.remove().get();
        }
    }

    /** Changes ranks ten times a second. Returns the number of changes. */
    private static long work(FluxClient client, int seconds, ManySchedulers schedulers) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long changes = 0;
        for (long next = System.nanoTime(); next < end && schedulers.failure() == null; next += PACE) {
            toggle(client, changes, "40-63");
            changes++;
            LockSupport.parkNanos(next + PACE - System.nanoTime());
        }
        return changes;
    }

    private static void toggle(FluxClient client, long number, String targets) throws IOException {
        toggling(client, number, targets).get();
    }

    private static SentRequest toggling(FluxClient client, long number, String targets) throws IOException {
        String verb = number % 2 == 0 ? "offline" : "online";
        return client.call(
                "resource." + verb, JsonNodeFactory.instance.objectNode().put("targets", targets));
    }

    @Test
    void idleConnectionsUseLittleMemoryAndAreReleased() throws Exception {
        DaemonProcess daemon = start(RecordingAdmin.resources());
        try (daemon;
                FluxClient client = daemon.connect()) {
            ManySchedulers schedulers = ManySchedulers.of(10, daemon.socket());
            toggle(client, 0, "0");
            await().atMost(PATIENCE).until(() -> schedulers.whoKnow(Idset.range(1, 63)) == 10);
            Footprint before = Footprint.of(daemon);
            List<Peer> idle = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                idle.add(Peer.welcomed(daemon.socket()));
            }
            Footprint full = Footprint.of(daemon);
            System.out.println(IDLE + " idle connections: before " + before + ", with them " + full);
            // Not compared with before, which may include files that the daemon's warm-up had not closed yet.
            assertThat(full.files).isGreaterThanOrEqualTo(IDLE);
            full.isNoMoreThan(before, IDLE * 4096L);
            for (int i = 1; i <= 100; i++) {
                toggle(client, i, "0");
            }
            await().atMost(PATIENCE).until(() -> schedulers.whoKnow(Idset.range(1, 63)) == 10);
            for (Peer peer : idle) {
                peer.close();
            }
            before.areGivenBack(daemon);
            schedulers.close();
        }
    }

    /** Each update names every second rank of these, so that a few updates fill a socket. */
    @Test
    void aFrozenSchedulerDelaysNoOtherAndIsSentOneMergedUpdate() throws Exception {
        DaemonProcess daemon = start(DaemonProcess.Setup.nodes("node[0-16383]"));
        try (daemon;
                FluxClient client = daemon.connect()) {
            String odd = everySecond();
            Peer frozen = Peer.welcomed(daemon.socket()).send(Peer.acquire(1));
            SchedulerModel model = new SchedulerModel();
            model.receive(json(frozen));
            ManySchedulers schedulers = ManySchedulers.of(20, daemon.socket());
            int changes = 0;
            while (!isBehind(client)) {
                toggle(client, changes++, odd);
                assertThat(changes).as("updates that a socket holds").isLessThan(1000);
            }
            long heard = responses(client);
            for (int i = 0; i < 100; i++) {
                toggle(client, changes++, odd);
            }
            toggle(client, 0, "0-9");
            Idset up = Idset.parse(client.rpc("resource.state", null).path("up").asText());
            await().atMost(PATIENCE).until(() -> schedulers.whoKnow(up) == 20 || schedulers.failure() != null);
            assertThat(schedulers.failure()).isNull();
            assertThat(responses(client)).as("while it is frozen").isEqualTo(heard);
            while (!model.up().equals(up)) {
                model.receive(json(frozen));
            }
            assertThat(model.responses())
                    .as("what fitted its socket, and one more")
                    .isEqualTo(heard + 1);
            frozen.close();
            schedulers.close();
        }
    }

    private static String everySecond() {
        Idset.Builder odd = Idset.builder();
        for (int rank = 1; rank < 16_384; rank += 2) {
            odd.add(rank);
        }
        return odd.build().toString();
    }

    private static ObjectNode json(Peer peer) throws IOException {
        Response response = Objects.requireNonNull(peer.receive());
        return Json.parse(Objects.requireNonNull(response.payload()));
    }

    /** The first scheduler that acquired. */
    private static JsonNode frozen(FluxClient client) throws IOException {
        return client.rpc("resource.state", null).path("schedulers").path(0);
    }

    private static boolean isBehind(FluxClient client) throws IOException {
        return frozen(client).path("behind").booleanValue();
    }

    private static long responses(FluxClient client) throws IOException {
        return frozen(client).path("responses").longValue();
    }
}
