package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.etcd.EtcdCluster;
import io.muster.daemon.relay.RelaySocket;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A relay in front of two daemons that share a ledger on a real etcd. */
@Timeout(300)
@Needs({"etcd", "etcdctl", "openssl"})
class RelayFailoverTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String RELAY =
            "san = \"login1.example.org\"\nrights = [\"follow\", \"change\", \"acquire\", \"speak-for\"]\nroot = true";

    @TempDir
    private Path directory;

    private @Nullable RelaySocket relay;

    @AfterEach
    void stop() {
        if (relay != null) {
            relay.close();
        }
    }

    private RunningDaemon daemon(String name, EtcdCluster etcd, Pki pki) throws Exception {
        return RunningDaemon.start(
                Files.createDirectories(directory.resolve(name)),
                "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n" + pki.config(RELAY)
                        + "[[grant]]\nwho = [\"login1.example.org/" + System.getProperty("user.name")
                        + "\"]\nrights = [\"follow\", \"change\", \"acquire\"]\n"
                        + "[ledger]\nkind = \"etcd\"\nallow-old-etcd = true\nttl = \"20s\"\nendpoints = " + etcd.toml()
                        + "\nmember = \"" + name + "\"\n");
    }

    private static TlsServer server(RunningDaemon daemon) {
        return TlsServer.parse(daemon.tls().replace("localhost", "127.0.0.1"));
    }

    private static ObjectNode drain(String host) {
        return JsonNodeFactory.instance.objectNode().put("targets", host).put("reason", "fan");
    }

    private static String role(RunningDaemon daemon) throws IOException {
        try (FluxClient client = FluxClient.connect(daemon.uri())) {
            return client.rpc("attr.get", JsonNodeFactory.instance.objectNode().put("name", "muster.role"))
                    .path("value")
                    .asText();
        }
    }

    @Test
    void streamsAndRequestsThroughTheRelayContinueAtTheNextLeader() throws Exception {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.issue("ca", "login1", "DNS:login1.example.org");
        try (EtcdCluster etcd = EtcdCluster.quick(Files.createDirectory(directory.resolve("etcd")), 1)) {
            RunningDaemon first = daemon("a", etcd, pki);
            try (RunningDaemon second = daemon("b", etcd, pki)) {
                assertThat(role(first)).isEqualTo("leader");
                assertThat(role(second)).isEqualTo("standby");
                List<TlsServer> standbyFirst = List.of(server(second), server(first));
                relay = new RelaySocket(directory.resolve("relay"), standbyFirst, pki.client("login1"), "login1");
                goesOn(first, second);
            } finally {
                first.close();
            }
        }
    }

    private void goesOn(RunningDaemon first, RunningDaemon second) throws IOException {
        try (FluxClient user = FluxClient.connect("local://" + directory.resolve("relay"), Options.DEFAULT);
                ResponseStream acquired = user.stream("resource.acquire", null)) {
            assertThat(acquired.next().path("up").asText()).isEqualTo("0-3");
            user.rpc("resource.drain", drain("node1"));
            assertThat(acquired.next()).hasToString("{\"down\":\"1\"}");
            first.close();
            ObjectNode repeatable = drain("node2").put("id", "6f9619ff-8b86-4d11-b42d-00cf4fc964ff");
            await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> user.rpc("resource.drain", repeatable));
            assertThat(role(second)).isEqualTo("leader");
            assertThat(acquired.next()).hasToString("{\"down\":\"2\"}");
        }
    }
}
