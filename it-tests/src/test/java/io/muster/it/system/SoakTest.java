package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Very many peers for a long time. {@code -Dmuster.soak.seconds=600} soaks for longer. */
@Timeout(value = 3, unit = TimeUnit.HOURS)
class SoakTest {
    private static final int SECONDS = Integer.getInteger("muster.soak.seconds", 60);
    private static final int STREAMS = 1000;
    private static final int IDLE = 5000;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final long PACE = TimeUnit.MILLISECONDS.toNanos(100);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess start(String... config) throws Exception {
        List<String> lines = new ArrayList<>(List.of("acquire = \"shared\"", "snapshot-every = 100"));
        lines.addAll(List.of(config));
        // All of the heap from the start, and not much of it: what grows is a leak, and what leaks in the heap ends the
        // daemon.
        DaemonProcess daemon = DaemonProcess.Setup.in(directory, lines.toArray(String[]::new))
                .jvm("-XX:+UseSerialGC", "-Xms48m", "-Xmx48m", "-XX:+AlwaysPreTouch", "-XX:MaxDirectMemorySize=64m")
                .start();
        allowFiles(daemon.pid());
        allowFiles(ProcessHandle.current().pid());
        return daemon;
    }

    /** A JVM has raised its soft limit to the hard one itself; more than that takes root. */
    private static void allowFiles(long pid) throws IOException, InterruptedException {
        if (DaemonProcess.mostOpenFiles(pid) < IDLE + 3000) {
            DaemonProcess.run("prlimit", "--pid", Long.toString(pid), "--nofile=" + (IDLE + 3000));
        }
    }

    /** What may not grow. */
    private record Footprint(long megabytes, long threads, int files) {
        static Footprint of(DaemonProcess daemon) throws IOException {
            return new Footprint(daemon.residentMegabytes(), daemon.threads(), daemon.openFiles());
        }
    }

    @Test
    void aThousandStreamsAgreeWithTheDaemonAndCostNoMoreWithTime() throws Exception {
        DaemonProcess daemon = start(Scribe.resources());
        try (daemon;
                Scribe scribe = Scribe.at(daemon, 10);
                FluxClient client = daemon.connect()) {
            Flock flock = Flock.of(STREAMS, directory.resolve("sock"));
            await().atMost(PATIENCE).until(() -> flock.whoKnow(scribe.up()) == STREAMS || flock.failure() != null);
            work(client, SECONDS / 4, flock);
            Footprint warm = Footprint.of(daemon);
            long changes = work(client, SECONDS - SECONDS / 4, flock);
            scribe.write(1);
            Idset up = Idset.parse(
                    client.rpc("resource.inventory", null).path("up").asText());
            await().atMost(PATIENCE).until(() -> flock.whoKnow(up) == STREAMS || flock.failure() != null);
            assertThat(flock.failure()).isNull();
            Footprint end = Footprint.of(daemon);
            System.out.println(SECONDS + " s with " + STREAMS + " streams: " + changes + " changes, "
                    + flock.responses() + " responses; after a quarter of it " + warm + ", at the end " + end);
            assertThat(end.megabytes).as("megabytes, %s before", warm).isLessThanOrEqualTo(warm.megabytes + 16);
            assertThat(end.threads).as("threads").isLessThanOrEqualTo(warm.threads);
            assertThat(end.files).as("files, one segment more or less").isLessThanOrEqualTo(warm.files + 1);
            flock.close();
            daemon.stop();
            daemon.expectNoWarningsBut();
        }
    }

    /** Changes ten times a second. Returns how many there were. */
    private static long work(FluxClient client, int seconds, Flock flock) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long changes = 0;
        for (long next = System.nanoTime(); next < end && flock.failure() == null; next += PACE) {
            toggle(client, changes, "40-63");
            changes++;
            LockSupport.parkNanos(next + PACE - System.nanoTime());
        }
        return changes;
    }

    private static void toggle(FluxClient client, long number, String targets) throws IOException {
        String verb = number % 2 == 0 ? "offline" : "online";
        client.rpc("resource." + verb, JsonNodeFactory.instance.objectNode().put("targets", targets));
    }

    @Test
    void idleConnectionsCostLittleAndAreGivenBack() throws Exception {
        DaemonProcess daemon = start(Scribe.resources());
        try (daemon;
                FluxClient client = daemon.connect()) {
            Flock flock = Flock.of(10, directory.resolve("sock"));
            toggle(client, 0, "0");
            await().atMost(PATIENCE).until(() -> flock.whoKnow(Idset.range(1, 63)) == 10);
            Footprint before = Footprint.of(daemon);
            List<Peer> idle = new ArrayList<>();
            for (int i = 0; i < IDLE; i++) {
                idle.add(Peer.welcomed(directory.resolve("sock")));
            }
            Footprint full = Footprint.of(daemon);
            System.out.println(IDLE + " idle connections: before " + before + ", with them " + full);
            assertThat(full.files).isEqualTo(before.files + IDLE);
            assertThat(full.megabytes).as("megabytes, %s before", before).isLessThan(before.megabytes + 64);
            for (int i = 1; i <= 100; i++) {
                toggle(client, i, "0");
            }
            await().atMost(PATIENCE).until(() -> flock.whoKnow(Idset.range(1, 63)) == 10);
            for (Peer peer : idle) {
                peer.close();
            }
            await().atMost(PATIENCE).until(() -> daemon.openFiles() <= before.files + 1);
            flock.close();
            daemon.stop();
            daemon.expectNoWarningsBut();
        }
    }

    /** Each update names every second rank of these, so that a few of them fill a socket. */
    @Test
    void whoIsFrozenDelaysNobodyAndIsToldOnceWhatItMissed() throws Exception {
        DaemonProcess daemon = start("[[resource.config]]", "hosts = \"node[0-16383]\"", "cores = \"0\"");
        try (daemon;
                FluxClient client = daemon.connect()) {
            String odd = everySecond();
            Peer frozen = Peer.welcomed(directory.resolve("sock")).send(Peer.acquire(1));
            Follower model = new Follower(json(frozen));
            Flock flock = Flock.of(20, directory.resolve("sock"));
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
            Idset up = Idset.parse(
                    client.rpc("resource.inventory", null).path("up").asText());
            await().atMost(PATIENCE).until(() -> flock.whoKnow(up) == 20 || flock.failure() != null);
            assertThat(flock.failure()).isNull();
            assertThat(responses(client)).as("while it is frozen").isEqualTo(heard);
            while (!model.up().equals(up)) {
                model.update(json(frozen));
            }
            assertThat(1 + model.updates())
                    .as("what fitted its socket, and one more")
                    .isEqualTo(heard + 1);
            frozen.close();
            flock.close();
            daemon.stop();
            daemon.expectNoWarningsBut();
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

    /** The first to acquire. */
    private static JsonNode frozen(FluxClient client) throws IOException {
        return client.rpc("resource.inventory", null).path("schedulers").path(0);
    }

    private static boolean isBehind(FluxClient client) throws IOException {
        return frozen(client).path("behind").booleanValue();
    }

    private static long responses(FluxClient client) throws IOException {
        return frozen(client).path("responses").longValue();
    }
}
