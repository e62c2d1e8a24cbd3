package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.relay.RelaySocket;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A relay and its users on another host; the test uses this host as the other host. */
@Timeout(300)
@Needs("openssl")
class RelaySocketTest {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String ME = System.getProperty("user.name");
    private static final String NODES = "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n";
    private static final String RELAY =
            "san = \"login1.example.org\"\nrights = [\"follow\", \"change\", \"acquire\", \"speak-for\"]\nroot = true";

    @TempDir
    private Path directory;

    private Pki pki;
    private RunningDaemon daemon;
    private RelaySocket relay;

    @BeforeEach
    void start() throws Exception {
        pki = Pki.in(directory.resolve("pki"));
        pki.issue("ca", "login1", "DNS:login1.example.org");
        address = "127.0.0.1:" + Ports.free();
        daemon = daemon(RELAY, "follow", "change", "acquire");
        relay = relay(Duration.ofSeconds(5));
        // The first TLS handshake may take longer than a request waits.
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .ignoreExceptionsMatching(RelaySocketTest::isTooLate)
                .until(() -> {
                    try (FluxClient user = connect()) {
                        return !user.rpc("resource.status", null).isEmpty();
                    }
                });
    }

    private String address = "";

    /** @param patience how long a request waits for the daemon */
    private RelaySocket relay(Duration patience) throws IOException {
        return new RelaySocket(
                directory.resolve("relay"),
                List.of(TlsServer.parse("tls://127.0.0.1:1"), TlsServer.parse("tls://" + address)),
                pki.client("login1"),
                "login1",
                patience);
    }

    /** Stops the daemon, and replaces the relay by one that lets a request wait for the daemon only for a moment. */
    private void stopDaemonAndShortenWaits() throws IOException {
        daemon.close();
        relay.close();
        relay = relay(Duration.ofMillis(200));
    }

    private RunningDaemon daemon(String grant, String... rights) throws Exception {
        return RunningDaemon.start(directory, config(grant, rights));
    }

    private String config(String grant, String... rights) {
        return NODES
                + pki.config(grant).replace("127.0.0.1:0", address)
                + "[[grant]]\nwho = [\"login1.example.org/" + ME + "\"]\nrights = [\"" + String.join("\", \"", rights)
                + "\"]\n";
    }

    @AfterEach
    void stop() {
        relay.close();
        daemon.close();
    }

    private FluxClient connect() throws IOException {
        return FluxClient.connect("local://" + directory.resolve("relay"), Options.DEFAULT);
    }

    private static ObjectNode drain(String host) {
        return JsonNodeFactory.instance.objectNode().put("targets", host).put("reason", "fan");
    }

    @Test
    void aUserBehindTheRelayIsNamedWithTheHostAndHasOnlyRightsThatTheRelayHas() throws Exception {
        try (FluxClient user = connect()) {
            user.rpc("resource.drain", drain("node1"));
            try (ResponseStream journal = user.stream("resource.journal", null)) {
                StringBuilder events = new StringBuilder();
                while (!events.toString().contains("node1")) {
                    events.append(journal.next());
                }
                assertThat(events)
                        .contains("\"user\":\"login1.example.org/" + ME
                                + "\",\"speaker\":{\"userid\":-1,\"user\":\"cert:login1.example.org\"}");
            }
            daemon.reconfigure(config(RELAY, "follow"));
            assertThatThrownBy(() -> user.rpc("resource.drain", drain("node2")))
                    .isInstanceOf(RpcException.class)
                    .hasMessageStartingWith("login1.example.org/" + ME
                            + ", for whom cert:login1.example.org sends this request, has no right to it");
            daemon.reconfigure(config(RELAY.replace("\"change\", ", ""), "follow", "change"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThatThrownBy(() -> user.rpc("resource.drain", drain("node2")))
                            .isInstanceOf(RpcException.class)
                            .hasMessageStartingWith(
                                    "cert:login1.example.org, which sends this request for login1.example.org/" + ME
                                            + ", has no right to it"));
        }
    }

    @Test
    @Needs("root")
    void rootOfTheHostActsAsTheRelayUnlessTheGrantSetsRoot() throws Exception {
        daemon.reconfigure(config(RELAY.replace("root = true", ""), "read"));
        try (FluxClient root = connect()) {
            ObjectNode named = drain("node1").put("holder", "x");
            root.rpc("resource.drain", named);
            try (FluxClient itself = FluxClient.connect(
                    daemon.tls().replace("localhost", "127.0.0.1"), Options.DEFAULT.with(pki.client("login1")))) {
                itself.rpc("resource.undrain", named);
            }
        }
    }

    @Test
    void anAcquisitionThroughTheRelayContinuesAfterARestartOfTheDaemon() throws Exception {
        try (FluxClient scheduler = connect();
                ResponseStream acquired = scheduler.stream("resource.acquire", null)) {
            assertThat(acquired.next().path("up").asText()).isEqualTo("0-3");
            try (FluxClient local = FluxClient.connect(daemon.uri())) {
                local.rpc("resource.drain", drain("node1"));
                assertThat(acquired.next()).hasToString("{\"down\":\"1\"}");
            }
            daemon.close();
            daemon = daemon(RELAY, "follow", "change", "acquire");
            try (FluxClient local = FluxClient.connect(daemon.uri())) {
                local.rpc("resource.undrain", drain("node1"));
                local.rpc("resource.drain", drain("node2"));
                StringBuilder said = new StringBuilder();
                while (!said.toString().contains("\"up\":\"1\"")
                        || !said.toString().contains("\"down\":\"2\"")) {
                    said.append(acquired.next());
                }
                assertThat(said.toString()).doesNotContain("resources");
                assertThatThrownBy(() -> local.stream("resource.acquire", null).next())
                        .hasMessageContaining("resources are acquired by")
                        .hasMessageContaining("relay:login1:" + ME + ":1");
            }
        }
        try (FluxClient local = FluxClient.connect(daemon.uri())) {
            await().atMost(PATIENCE).ignoreException(RpcException.class).untilAsserted(() -> {
                try (ResponseStream other = local.stream("resource.acquire", null)) {
                    assertThat(other.next().path("up").asText()).isEqualTo("0-1,3");
                }
            });
        }
    }

    /** Ends the acquisition of the relay, and acquires before the relay acquires again after a second. */
    private static ResponseStream supplant(FluxClient local) {
        return await().atMost(PATIENCE)
                .ignoreException(RpcException.class)
                .until(() -> acquireReleased(local), Objects::nonNull);
    }

    private static ResponseStream acquireReleased(FluxClient local) throws IOException {
        local.rpc("resource.acquire-release", JsonNodeFactory.instance.objectNode());
        ResponseStream other = local.stream("resource.acquire", null);
        other.next();
        return other;
    }

    /** An admin ends the acquisition: the relay does not tell the scheduler and acquires again, unless another scheduler acquires first. */
    @Test
    void theRelayReacquiresAnEndedAcquisitionUntilTheSchedulerCancels() throws Exception {
        try (FluxClient scheduler = connect();
                ResponseStream acquired = scheduler.stream("resource.acquire", null);
                FluxClient local = FluxClient.connect(daemon.uri())) {
            acquired.next();
            try (ResponseStream other = supplant(local)) {
                assertThat(acquired.await(Duration.ofSeconds(3))).isFalse();
                assertThat(other.await(Duration.ofMillis(1))).isFalse(); // neither an update nor the end
            }
            local.rpc("resource.drain", drain("node3"));
            assertThat(acquired.next()).hasToString("{\"down\":\"3\"}");
            acquired.cancel();
            assertThat(acquired.hasNext()).isFalse();
        }
    }

    /** Whether the daemon of a busy machine has started after the 5 s for which the relay keeps a request. */
    private static boolean isTooLate(Throwable failure) {
        return failure instanceof RpcException refused && refused.errno().equals(Errno.EHOSTUNREACH);
    }

    @Test
    void requestsWaitForTheDaemonAndAChangeWithAnIdIsMadeOnce() throws Exception {
        try (FluxClient user = connect()) {
            user.rpc("resource.status", null);
            ObjectNode once = drain("node1").put("id", "01234567-89ab-cdef-0123-456789abcdef");
            await().atMost(PATIENCE)
                    .ignoreExceptionsMatching(RelaySocketTest::isTooLate)
                    .untilAsserted(() -> {
                        daemon.close();
                        SentRequest change = user.call("resource.drain", once);
                        SentRequest query = user.call("resource.status", null);
                        daemon = daemon(RELAY, "follow", "change", "acquire");
                        change.get();
                        assertThat(query.get().isEmpty()).isFalse();
                    });
            user.rpc("resource.drain", once);
            assertThatThrownBy(() -> user.rpc("resource.drain", drain("node1"))).hasMessageContaining("drained");
        }
    }

    @Test
    void withoutADaemonARequestFailsWithTheReason() throws Exception {
        stopDaemonAndShortenWaits();
        try (FluxClient user = connect()) {
            RpcException refused = catchThrowableOfType(RpcException.class, () -> user.rpc("resource.status", null));
            assertThat(refused.errno()).isEqualTo(Errno.EHOSTUNREACH);
            assertThat(refused).hasMessageMatching("the relay of this host cannot reach tls://127.0.0.1:\\d+: .*");
        }
        daemon = daemon(RELAY, "follow", "change", "acquire");
        try (FluxClient user = connect()) {
            await().atMost(PATIENCE)
                    .ignoreExceptionsMatching(RelaySocketTest::isTooLate)
                    .until(() -> !user.rpc("resource.status", null).isEmpty());
        }
    }

    @Test
    void streamsEndWithTheConnectionAndWithTheReason() throws Exception {
        try (FluxClient user = connect();
                ResponseStream journal = user.stream("resource.journal", null)) {
            assertThat(journal.next().isEmpty()).isFalse();
            daemon.close();
            assertThatThrownBy(() -> {
                        while (journal.hasNext()) {
                            journal.next();
                        }
                    })
                    .isInstanceOf(RpcException.class)
                    .hasMessageMatching(
                            "(the relay of this host has lost its connection to .*|the daemon is stopping)");
        }
    }

    @Test
    void aHostileUserOfTheHostDoesNotAffectOtherUsers() throws Exception {
        try (FluxClient honest = connect()) {
            SocketChannel large = SocketChannel.open(StandardProtocolFamily.UNIX);
            large.connect(UnixDomainSocketAddress.of(directory.resolve("relay")));
            ByteBuffer frame =
                    ByteBuffer.allocate(16).put(new byte[] {-1, -18, 0, 18, 127, -1, -1, -1, 1, 2, 3, 4, 5, 6, 7, 8});
            large.write(frame.flip());
            ByteBuffer end = ByteBuffer.allocate(10);
            while (large.read(end) >= 0 && end.hasRemaining()) {
                assertThat(end.position()).as("the welcome alone").isLessThan(2);
            }
            large.close();
            List<FluxClient> greedy = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                FluxClient one = connect();
                greedy.add(one);
                for (int n = 0; n < 200; n++) {
                    one.call("resource.status", null);
                }
            }
            assertThat(honest.rpc("resource.status", null).isEmpty()).isFalse();
            for (FluxClient one : greedy) {
                one.close();
            }
            Options impatient = Options.DEFAULT.withTimeout(Duration.ofSeconds(60));
            try (FluxClient late = FluxClient.connect("local://" + directory.resolve("relay"), impatient)) {
                assertThat(late.rpc("resource.status", null).isEmpty()).isFalse();
            }
        }
    }

    @Test
    void requestsOfAUserBeyondTheLimitWaitUnread() throws Exception {
        stopDaemonAndShortenWaits();
        List<FluxClient> clients = new ArrayList<>();
        List<SentRequest> calls = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            FluxClient one = connect();
            clients.add(one);
            for (int n = 0; n < 120; n++) {
                calls.add(one.call("resource.status", null));
            }
        }
        for (SentRequest call : calls) {
            RpcException refused = catchThrowableOfType(RpcException.class, call::get);
            assertThat(refused.errno()).isEqualTo(Errno.EHOSTUNREACH);
        }
        for (FluxClient one : clients) {
            one.close();
        }
    }

    private SocketChannel welcomed() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(directory.resolve("relay")));
        ByteBuffer welcome = ByteBuffer.allocate(1);
        channel.read(welcome);
        assertThat(welcome.get(0)).as("0, or the error number of a refusal").isZero();
        return channel;
    }

    private static Response receive(SocketChannel channel, FrameDecoder decoder) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        while (channel.read(bytes) >= 0) {
            Message message = decoder.feed(bytes.flip());
            bytes.compact();
            if (message != null) {
                return (Response) message;
            }
        }
        throw new IOException("the relay closed the connection");
    }

    /** With its own route, the relay could not send such a request, nor the end of its connection. */
    @Test
    void aRequestWithTooManyRoutesIsRefusedAndItsConnectionEnds() throws Exception {
        for (int flags : new int[] {0, Header.NORESPONSE}) {
            Request far = new Request(
                    Header.flags(flags),
                    Collections.nCopies(1024, "r"),
                    "resource.monitor-waitup",
                    Bytes.text("{\"up\":4}"),
                    Request.NODEID_ANY,
                    1);
            Request near = Request.of("resource.ping", Bytes.text("{}"), 0, 2);
            for (int i = 0; i < 600; i++) { // more than the connections that one user may have
                try (SocketChannel hostile = welcomed()) {
                    hostile.write(FrameEncoder.of(Dialect.DEPLOYED).encode(far));
                    hostile.write(FrameEncoder.of(Dialect.DEPLOYED).encode(near));
                    Response first = receive(hostile, new FrameDecoder(1 << 20));
                    assertThat(first.errnum()).isEqualTo(flags == 0 ? Errno.EPROTO.value() : 0);
                }
            }
        }
    }

    @Test
    void waitingRequestsThroughTheRelayAreLimitedForEachUser() throws Exception {
        try (FluxClient local = FluxClient.connect(daemon.uri());
                FluxClient honest = connect();
                FluxClient hostile = connect()) {
            local.rpc("resource.offline", JsonNodeFactory.instance.objectNode().put("targets", "0"));
            ObjectNode large =
                    JsonNodeFactory.instance.objectNode().put("up", 4).put("x", "x".repeat(1_000_000));
            for (int i = 0; i < 20; i++) {
                RpcException refused =
                        catchThrowableOfType(RpcException.class, () -> hostile.rpc("resource.monitor-waitup", large));
                assertThat(refused.errno()).isEqualTo(Errno.EINVAL);
            }
            ObjectNode small =
                    JsonNodeFactory.instance.objectNode().put("up", 4).put("x", "x".repeat(4000));
            for (int i = 0; i < 64; i++) {
                hostile.call("resource.monitor-waitup", small);
            }
            RpcException refused =
                    catchThrowableOfType(RpcException.class, () -> hostile.rpc("resource.monitor-waitup", small));
            assertThat(refused.errno()).isEqualTo(Errno.EAGAIN);
            assertThat(refused).hasMessageContaining("has 64 streams and waiting requests open already");
            honest.rpc("resource.drain", drain("node1"));
            local.rpc("resource.drain", drain("node2"));
        }
    }

    @Test
    void theLimitOfStreamsOfAUserCountsAllConnections() throws Exception {
        try (FluxClient first = connect();
                FluxClient second = connect()) {
            try (FluxClient third = connect()) {
                for (int i = 0; i < 32; i++) {
                    first.stream("resource.journal", null);
                    third.stream("resource.journal", null);
                }
                // The answers show that the relay has read all 64 requests.
                first.rpc("resource.status", null);
                third.rpc("resource.status", null);
                try (ResponseStream one = second.stream("resource.journal", null)) {
                    assertThatThrownBy(one::next)
                            .isInstanceOf(RpcException.class)
                            .hasMessageMatching(
                                    "uid=\\d+ has 64 streams open through the relay of this host already, which is the limit");
                }
                assertThat(second.rpc("resource.status", null).isEmpty()).isFalse();
            }
            await().atMost(PATIENCE).ignoreException(RpcException.class).untilAsserted(() -> {
                try (ResponseStream one = second.stream("resource.journal", null)) {
                    assertThat(one.next().path("events").isEmpty()).isFalse();
                }
            });
        }
    }
}
