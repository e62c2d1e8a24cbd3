package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.LedgerDaemons;
import io.muster.it.harness.NetworkNamespace;
import io.muster.it.harness.Output;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A network that loses everything between the leader and etcd. Clients reach both daemons over UNIX sockets throughout. */
@Timeout(600)
class PartitionTest {
    private static final int CUT_OFF = 0;
    private static final int OTHER = 1;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess.Setup setup(String name, EtcdCluster etcd) throws IOException {
        return LedgerDaemons.setup(directory.resolve(name), etcd, DaemonProcess.Setup.nodes("node[0-3]"));
    }

    private static void drain(LedgerDaemons daemons, int i, String host) throws IOException {
        try (FluxClient client = daemons.get(i).connect()) {
            client.rpc(
                    "resource.drain",
                    JsonNodeFactory.instance.objectNode().put("targets", host).put("reason", "bad fan"));
        }
    }

    private static ObjectNode drained(LedgerDaemons daemons, int i) throws IOException {
        return (ObjectNode) daemons.get(i).ask("resource.status").path("drain");
    }

    @Test
    void aLeaderThatIsCutOffFromEtcdEndsItsStreamsAndFollowsTheNextLeaderWhenTheNetworkIsBack() throws Exception {
        assumeTrue(Tool.isRoot(), "needs root, for a network namespace");
        Path place = Files.createDirectory(directory.resolve("etcd"));
        try (NetworkNamespace network = new NetworkNamespace();
                EtcdCluster etcd = EtcdCluster.startAt(network.host(), place, 1);
                LedgerDaemons daemons = new LedgerDaemons(
                        List.of(setup("cut-off", etcd).wrapper(network.wrapper()), setup("other", etcd)))) {
            daemons.start(CUT_OFF);
            daemons.start(OTHER);
            assertThat(daemons.awaitLeader()).isEqualTo(CUT_OFF);
            try (FluxClient scheduler = daemons.get(CUT_OFF).connect()) {
                ResponseStream stream = scheduler.stream("resource.acquire", null);
                assertThat(stream.next()).isNotNull();
                network.cut();
                assertThatThrownBy(stream::next)
                        .hasMessageContaining("etcd does not answer, so another daemon may lead");
            }
            await().atMost(Output.PATIENCE)
                    .until(() -> daemons.attribute(OTHER, "muster.role").equals("leader"));
            await().atMost(Output.PATIENCE).ignoreExceptions().untilAsserted(() -> drain(daemons, OTHER, "node1"));
            assertThat(drained(daemons, OTHER)).hasSize(1);
            assertThat(drained(daemons, CUT_OFF)).isEmpty();
            assertSchedulerIsServed(daemons);
            network.mend();
            daemons.awaitAgreement();
            assertThat(daemons.attribute(CUT_OFF, "muster.role")).isEqualTo("standby");
            assertThat(daemons.attribute(CUT_OFF, "muster.leader")).isEqualTo(daemons.uri(OTHER));
            assertThat(drained(daemons, CUT_OFF)).isEqualTo(drained(daemons, OTHER));
            assertThat(daemons.ledger("verify")).startsWith("the ledger in etcd is sound: ");
            daemons.stop(CUT_OFF);
            daemons.stop(OTHER);
        }
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
