package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.cast.DistantScheduler;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.NetworkNamespace;
import io.muster.it.harness.Output;
import io.muster.protocol.admin.RequestId;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Networks that lose all packets between a leader and etcd, or between a leader and its clients. Two daemons share a ledger; the first
 * leader is in a network namespace. A relay reaches both daemons over TCP, and local clients reach them over UNIX sockets.
 */
@Timeout(600)
@Needs({"etcd", "etcdctl", "ip", "mount", "openssl"})
@Tag("long")
@Tag("partition")
class PartitionTest {
    private static final int CUT_OFF = 0;
    private static final int OTHER = 1;
    private static final int TO_ETCD = 0;
    private static final int TO_CLIENTS = 1;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private interface Scene {
        void play(NetworkNamespace network, LedgerDaemons daemons, DistantScheduler distant) throws Exception;
    }

    private void play(Scene scene) throws Exception {
        Path place = Files.createDirectory(directory.resolve("etcd"));
        try (NetworkNamespace network = new NetworkNamespace(2);
                EtcdCluster etcd = EtcdCluster.startAt(network.host(TO_ETCD), place, 1);
                DistantScheduler distant = new DistantScheduler(
                        directory.resolve("distant"), List.of(network.inside(TO_CLIENTS), "127.0.0.1"));
                LedgerDaemons daemons = new LedgerDaemons(List.of(
                        setup("cut-off", etcd, distant.listener(CUT_OFF)).wrapper(network.wrapper()),
                        setup("other", etcd, distant.listener(OTHER))))) {
            daemons.start(CUT_OFF);
            daemons.start(OTHER);
            if (daemons.awaitLeader() != CUT_OFF) { // its lease ended while the other daemon started
                daemons.ledger("step-down");
                awaitRole(daemons, CUT_OFF, "leader");
            }
            scene.play(network, daemons, distant);
            daemons.awaitAgreement();
            assertThat(drained(daemons, CUT_OFF)).isEqualTo(drained(daemons, OTHER));
            assertThat(daemons.ledger("verify")).startsWith("the ledger in etcd is sound: ");
            daemons.stop(CUT_OFF);
            daemons.stop(OTHER);
        }
    }

    private DaemonProcess.Setup setup(String name, EtcdCluster etcd, String listener) throws IOException {
        return LedgerDaemons.setup(directory.resolve(name), etcd, DaemonProcess.Setup.nodes("node[0-3]"), listener);
    }

    private static void awaitRole(LedgerDaemons daemons, int i, String role) {
        awaitAttribute(daemons, i, "muster.role", role);
    }

    private static void awaitAttribute(LedgerDaemons daemons, int i, String name, String value) {
        await().atMost(Output.PATIENCE).until(() -> daemons.attribute(i, name), value::equals);
    }

    private static void awaitUp(DistantScheduler distant, String ranks) {
        await().atMost(Output.PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> distant.knowledge().up().toString(), ranks::equals);
    }

    /** Sends a change again with its id until the daemon answers it, because the daemon may have to become the leader first. */
    private static void drain(LedgerDaemons daemons, int i, String host) {
        ObjectNode payload =
                JsonNodeFactory.instance.objectNode().put("targets", host).put("reason", "bad fan");
        RequestId.give(payload, UUID.randomUUID());
        await().atMost(Output.PATIENCE)
                .pollInterval(Duration.ofMillis(10))
                .ignoreExceptions()
                .untilAsserted(() -> {
                    try (FluxClient client = daemons.get(i).connect()) {
                        client.rpc("resource.drain", payload);
                    }
                });
    }

    private static ObjectNode drained(LedgerDaemons daemons, int i) throws IOException {
        return (ObjectNode) daemons.get(i).ask("resource.status").path("drain");
    }

    @Test
    void aLeaderCutOffFromEtcdEndsItsStreamsAndThenFollowsTheNextLeader() throws Exception {
        play((network, daemons, distant) -> {
            try (FluxClient scheduler = daemons.get(CUT_OFF).connect()) {
                ResponseStream stream = scheduler.stream("resource.acquire", null);
                assertThat(stream.next()).isNotNull();
                network.cut(TO_ETCD);
                assertThatThrownBy(stream::next)
                        .hasMessageContaining("etcd does not answer, so another daemon may lead");
            }
            awaitRole(daemons, OTHER, "leader");
            drain(daemons, OTHER, "node1");
            assertThat(drained(daemons, OTHER)).hasSize(1);
            assertThat(drained(daemons, CUT_OFF)).isEmpty();
            assertSchedulerIsServed(daemons);
            network.mend(TO_ETCD);
            daemons.awaitAgreement();
            awaitRole(daemons, CUT_OFF, "standby");
            awaitAttribute(daemons, CUT_OFF, "muster.leader", daemons.uri(OTHER));
        });
    }

    @Test
    void aRelayedSchedulerIsSentADrainOfTheNextLeaderDuringThePartition() throws Exception {
        play((network, daemons, distant) -> {
            distant.start();
            drain(daemons, CUT_OFF, "node0");
            awaitUp(distant, "1-3");
            network.cut(TO_ETCD);
            long cut = System.nanoTime();
            drain(daemons, OTHER, "node1");
            awaitUp(distant, "2-3");
            System.out.printf(
                    Locale.ROOT,
                    "a scheduler behind a relay knew of a drain on the next leader %.2f s after the cut%n",
                    (System.nanoTime() - cut) / 1e9);
            assertThat(drained(daemons, CUT_OFF)).hasSize(1); // still cut off
            network.mend(TO_ETCD);
            awaitRole(daemons, CUT_OFF, "standby");
        });
    }

    @Test
    void aLeaderCutOffFromItsClientsKeepsLeadingAndARelayFindsTheNextLeader() throws Exception {
        play((network, daemons, distant) -> {
            distant.start();
            network.cut(TO_CLIENTS);
            drain(daemons, CUT_OFF, "node0");
            await().atMost(Output.PATIENCE)
                    .untilAsserted(() -> assertThat(drained(daemons, OTHER)).hasSize(1));
            assertThat(daemons.awaitLeader()).isEqualTo(CUT_OFF);
            assertThat(distant.knowledge().up()).hasToString("0-3");
            network.mend(TO_CLIENTS);
            awaitUp(distant, "1-3");
            network.cut(TO_CLIENTS);
            daemons.ledger("step-down");
            awaitRole(daemons, OTHER, "leader");
            drain(daemons, OTHER, "node1");
            awaitUp(distant, "2-3");
            network.mend(TO_CLIENTS);
        });
    }

    /** A scheduler finds the next leader, and the former one refuses it. */
    private static void assertSchedulerIsServed(LedgerDaemons daemons) throws IOException {
        try (FluxClient client = daemons.get(OTHER).connect();
                FluxClient late = daemons.get(CUT_OFF).connect()) {
            assertThat(client.stream("resource.acquire", null).next().path("up").asText())
                    .isEqualTo("0,2-3");
            ResponseStream refused = late.stream("resource.acquire", null);
            assertThatThrownBy(refused::next).hasMessageContaining("etcd does not answer, so another daemon may lead");
        }
    }
}
