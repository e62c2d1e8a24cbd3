package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Output;
import io.muster.it.harness.Peer;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that send many requests before they read a response, and a daemon with a small heap. */
@Timeout(900)
@Tag("once")
class PipelineTest {
    private static final int REQUESTS = 100_000;
    /** The number of requests for which a connection must have room. */
    private static final int SURE = 20_000;

    private static final String[] SMALL = {
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-Dio.netty.leakDetection.level=advanced",
        "-Dio.netty.leakDetection.samplingInterval=8",
        "-Xmx64m",
        "-XX:MaxDirectMemorySize=64m"
    };

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    @SuppressWarnings("NullAway.Init") // every test begins with start()
    private DaemonProcess daemon;

    private void start(String resources) {
        daemon = DaemonProcess.Setup.in(directory, "acquire = \"shared\"", resources)
                .jvm(SMALL)
                .start();
    }

    @AfterEach
    void stop() {
        daemon.close();
    }

    /** The ways in which a client writes. */
    private enum Way {
        /** As libflux does: in write(2) until all is sent. */
        BLOCKING,
        NON_BLOCKING;

        void send(Peer peer, ByteBuffer frame) throws IOException {
            if (this == BLOCKING) {
                peer.send(frame);
            } else if (!peer.fits(frame)) {
                assertThat(peer.sendWithoutBlocking(frame))
                        .as("the daemon goes on reading")
                        .isTrue();
            }
        }
    }

    private static Request request(int tag) {
        return switch (tag % 4) {
            case 0 -> Peer.request("resource.status", "", 0, tag);
            case 1 -> Peer.request("attr.get", "{\"name\": \"size\"}", 0, tag);
            default ->
                Peer.request(
                        "resource.drain",
                        "{\"targets\": \"" + tag % 64 + "\", \"reason\": \"fan " + tag + "\", \"mode\": \"overwrite\"}",
                        0,
                        tag);
        };
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void aClientThatReadsAfterItHasSentEverythingGetsAResponseToEachRequest(Way way) throws Exception {
        start(DaemonProcess.Setup.nodes("node[0-63]"));
        try (Peer peer = Peer.welcomed(daemon.socket())) {
            for (int tag = 1; tag <= REQUESTS; tag++) {
                way.send(peer, Peer.frame(request(tag)));
            }
            BitSet answered = new BitSet();
            int refused = 0;
            for (int i = 0; i < REQUESTS; i++) {
                Response response = receive(peer);
                assertThat(answered.get(response.matchtag())).isFalse();
                answered.set(response.matchtag());
                if (response.errnum() != 0) {
                    assertThat(response.errnum()).isEqualTo(Errno.EAGAIN.value());
                    assertThat(response.matchtag()).isGreaterThan(SURE);
                    assertThat(sentence(response)).startsWith("not done: too many requests of this connection wait");
                    refused++;
                }
            }
            assertThat(answered.cardinality()).isEqualTo(REQUESTS);
            assertThat(refused).isLessThan(REQUESTS - SURE);
            peer.send(request(4));
            assertThat(receive(peer).matchtag()).as("and no answer too many").isEqualTo(4);
        }
    }

    private static Response receive(Peer peer) throws IOException {
        return Objects.requireNonNull(peer.receive(), "the connection has ended");
    }

    private static String sentence(Response response) {
        return Objects.requireNonNull(response.payload()).text();
    }

    @Test
    void aClientThatNeverReadsIsClosedAndTheLogHasTheReason() throws Exception {
        start(DaemonProcess.Setup.nodes("node[0-63]"));
        daemon.expect(
                "WARN peer: peer=.* closed: the peer does not read its answers, and its [0-9]+ waiting requests take");
        ByteBuffer question = Peer.frame(Peer.request("resource.status", "", 0, 1));
        try (Peer peer = Peer.welcomed(daemon.socket())) {
            assertThatThrownBy(() -> {
                        for (int i = 0; i < 100 * REQUESTS; i++) {
                            Way.NON_BLOCKING.send(peer, question.duplicate());
                        }
                    })
                    .as("at once, not after a time limit")
                    .isInstanceOf(IOException.class);
        }
        daemon.output().await("the peer does not read its answers");
        assertThat(daemon.ask("resource.stats-get").path("ranks").asInt()).isEqualTo(64);
    }

    @Test
    void changesSentBeforeAClientDisconnectsAreMade() throws Exception {
        start(DaemonProcess.Setup.nodes("node[0-63]"));
        try (Peer peer = Peer.welcomed(daemon.socket())) {
            for (int i = 0; i < SURE; i++) {
                peer.send(Peer.request(
                        "resource.drain",
                        "{\"targets\": \"" + i % 8 + "\", \"reason\": \"fan " + i + "\", \"mode\": \"overwrite\"}",
                        Header.NORESPONSE,
                        0));
            }
            peer.send(Peer.request("resource.drain", "{\"targets\": \"63\"}", Header.NORESPONSE, 0));
        }
        await().atMost(Output.PATIENCE)
                .until(() -> daemon.ask("resource.status").path("drain").has("63"));
        assertThat(daemon.ask("resource.status").toString()).contains("fan " + (SURE - 1));
    }

    /** Hosts whose names do not fold, so that R is a megabyte. */
    private static String large() {
        Random random = new Random(1);
        String hosts = IntStream.range(0, 1000)
                .mapToObj(i -> random.ints(1000, 'a', 'z' + 1)
                        .mapToObj(Character::toString)
                        .collect(Collectors.joining()))
                .collect(Collectors.joining(","));
        return DaemonProcess.Setup.nodes(hosts);
    }

    @Test
    void equalFirstResponsesShareTheirMemory() throws Exception {
        start(large());
        List<Peer> peers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            peers.add(Peer.welcomed(daemon.socket()).send(Peer.acquire(1)));
        }
        awaitStreams(300);
        for (Peer peer : peers) {
            assertThat(receive(peer).errnum()).isZero();
            peer.close();
        }
    }

    @Test
    void anAcquireWithoutRoomForItsResponseIsRefusedUntilOthersHaveRead() throws Exception {
        start(large());
        daemon.expect("is past a limit.*there is no room for this answer");
        List<Peer> peers = new ArrayList<>();
        try (FluxClient admin = daemon.connect()) {
            for (int i = 0; i < 200; i++) {
                Peer peer = Peer.welcomed(daemon.socket());
                peers.add(peer.send(Peer.acquire(1), Peer.request("resource.ping", "{}", 0, 2)));
                ObjectNode drain = JsonNodeFactory.instance.objectNode().put("targets", Integer.toString(i));
                admin.rpc("resource.drain", drain);
            }
        }
        int refused = 0;
        for (Peer peer : peers) {
            Response first = receive(peer);
            if (first.errnum() != 0) {
                assertThat(first.errnum()).isEqualTo(Errno.EAGAIN.value());
                assertThat(sentence(first)).startsWith("there is no room for this answer of 1");
                refused++;
            }
        }
        assertThat(refused).as("of 200 that wait for a megabyte each").isBetween(100, 195);
        awaitStreams(200 - refused);
        try (Peer again = Peer.welcomed(daemon.socket())) {
            again.send(Peer.acquire(1));
            assertThat(receive(again).errnum()).isZero();
        }
        for (Peer peer : peers) {
            peer.close();
        }
    }

    private void awaitStreams(int count) {
        await().atMost(Output.PATIENCE)
                .until(() ->
                        daemon.ask("resource.stats-get").path("acquire-streams").asInt() == count);
    }
}
