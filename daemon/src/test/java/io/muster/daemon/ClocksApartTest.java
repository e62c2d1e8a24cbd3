package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Daemons that share a ledger on a real etcd, and whose clocks are minutes apart. */
@Timeout(600)
@Needs({"etcd", "etcdctl"})
@Tag("long")
@Tag("etcd-faults")
class ClocksApartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration AHEAD = Duration.ofMinutes(2);
    private static final Duration FAR = Duration.ofMinutes(11);

    @TempDir
    private Path directory;

    private EtcdCluster etcd;

    @BeforeEach
    void startEtcd() throws IOException {
        etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1);
    }

    @AfterEach
    void stopEtcd() {
        etcd.close();
    }

    private RunningDaemon daemon(String name, Duration ahead) throws Exception {
        return daemon(name, ahead, "5s");
    }

    /** @param ttl also the time for which a daemon with another time lets others lead first */
    private RunningDaemon daemon(String name, Duration ahead, String ttl) throws Exception {
        WallClock clock = new WallClock(
                () -> Instant.now().plus(ahead), System::nanoTime, new WallClock.Limits(900, 86_400, 3600));
        return RunningDaemon.start(
                Files.createDirectories(directory.resolve(name)),
                "snapshot-every = 20\n[[resource.config]]\nhosts = \"node[0-63]\"\ncores = \"0-3\"\n"
                        + "[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\nttl = \"" + ttl + "\"\nendpoints = "
                        + etcd.toml()
                        + "\nmember = \"" + name + "\"\n",
                clock);
    }

    /** Drains a host once; the request has an id and is repeated until the daemon leads and etcd answers in time. */
    private static void drain(RunningDaemon daemon, int rank, String reason) {
        drain(daemon, request(rank, reason));
    }

    private static ObjectNode request(int rank, String reason) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("targets", Integer.toString(rank))
                .put("reason", reason)
                .put("id", UUID.randomUUID().toString());
    }

    private static ObjectNode drain(RunningDaemon daemon, ObjectNode request) {
        return await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .ignoreExceptions()
                .until(
                        () -> {
                            try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
                                return client.rpc("resource.drain", request);
                            }
                        },
                        answer -> true);
    }

    private static void awaitDoubt(RunningDaemon daemon) {
        await().atMost(PATIENCE).until(() -> daemon.metrics().contains("muster_clock_jump_seconds 6"));
    }

    private static ObjectNode drained(RunningDaemon daemon) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            return (ObjectNode) client.rpc("resource.status", JsonNodeFactory.instance.objectNode())
                    .path("drain");
        }
    }

    /** The next leader has had this clock since its start, and no event was written since. */
    @Test
    void anIdIsOneChangeAndAHoldEndsNotEarlyIfTheClockOfTheNextLeaderIsElevenMinutesAhead() throws Exception {
        ObjectNode hold = request(1, "window").put("until", Instant.now().getEpochSecond() + 300);
        RunningDaemon first = daemon("a", Duration.ZERO);
        long seq = drain(first, hold).path("seq").asLong();
        assertThat(seq).isPositive();
        try (RunningDaemon next = daemon("b", FAR)) {
            awaitDoubt(next);
            first.close();
            drain(next, 2, "after");
            assertThat(drain(next, hold).path("seq").asLong()).isEqualTo(seq);
            assertThat(drained(next).toString()).contains("window", "after");
        } finally {
            first.close();
        }
    }

    @Test
    void aDaemonWithAnotherTimeLeadsOnlyIfNoOtherDaemonDoes() throws Exception {
        String ttl = "20s";
        RunningDaemon first = daemon("a", Duration.ZERO, ttl);
        RunningDaemon right = daemon("c", Duration.ZERO, ttl);
        try (RunningDaemon apart = daemon("b", FAR, ttl)) {
            awaitDoubt(apart);
            first.close();
            drain(right, 1, "fan");
            right.close();
            drain(apart, 2, "fan");
        } finally {
            first.close();
            right.close();
        }
    }

    /** The previous leader, whose clock was ahead, wrote later event times. The next leader has never compared its clock with that clock. */
    @Test
    void aLeaderTellsTheTimeOfItsOwnClock() throws Exception {
        try (RunningDaemon ahead = daemon("a", AHEAD)) {
            drain(ahead, 1, "fan");
        }
        try (RunningDaemon right = daemon("b", Duration.ZERO)) {
            drain(right, 2, "fan");
            String told = etcd.ctl("get", "/muster/main/clock", "--print-value-only");
            assertThat(Double.parseDouble(told.strip()))
                    .isLessThan(Instant.now().getEpochSecond() + 60.0);
        }
    }
}
