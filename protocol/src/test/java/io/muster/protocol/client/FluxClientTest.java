package io.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.EventMessage;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class FluxClientTest {
    private static final Duration AT_ONCE = Duration.ofMillis(1);

    @TempDir
    Path directory;

    @Test
    void aCallSendsOneRequestAndReturnsItsResponse() throws Exception {
        List<Request> requests = new ArrayList<>();
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    requests.add(side.read());
                    side.answer(requests.get(0), "{\"value\":\"4\"}");
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThat(client.rpc("attr.get", object().put("name", "size"))).isEqualTo(object().put("value", "4"));
            peer.join();
        }
        assertThat(requests)
                .containsExactly(new Request(
                        new Header(0, Credentials.UNSET),
                        List.of(),
                        "attr.get",
                        Bytes.text("{\"name\":\"size\"}"),
                        Request.NODEID_ANY,
                        1));
    }

    @Test
    void aResponseWithoutAPayloadIsAnEmptyObject() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(
                        socket(), side -> side.send(Response.success(side.read(), ScriptedPeer.SERVER, null)));
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThat(client.rpc("resource.drain", null)).isEmpty();
        }
    }

    @Test
    void anErrorKeepsItsNumberAndSentence() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    side.fail(side.read(), 17, "rank 1 already drained");
                    side.fail(side.read(), 4242, null);
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThatThrownBy(() -> client.rpc("resource.drain", object()))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST))
                    .hasMessage("rank 1 already drained");
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOfSatisfying(
                            RpcException.class,
                            e -> assertThat(e.errno().value()).isEqualTo(4242))
                    .hasMessage("Unknown error 4242");
        }
    }

    @Test
    void aRequestThatNeedsNoResponseHasTheNoresponseFlag() throws Exception {
        List<Request> requests = new ArrayList<>();
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> requests.add(side.read()));
                FluxClient client = FluxClient.connect(peer.uri())) {
            client.send("resource.disconnect", null);
            peer.join();
        }
        assertThat(requests).containsExactly(Request.of("resource.disconnect", null, Header.NORESPONSE, 0));
    }

    @Test
    void responsesMayArriveInAnyOrderAndAmongOtherMessages() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request first = side.read();
                    Request second = side.read();
                    Request stream = side.read();
                    side.send(new EventMessage(new Header(0, ScriptedPeer.SERVER), "job-state", null, 1));
                    side.send(Response.success(Request.of("a.b", null, 0, 999), ScriptedPeer.SERVER, null));
                    side.stream(stream, "{\"n\":3}");
                    side.answer(second, "{\"n\":2}");
                    side.answer(first, "{\"n\":1}");
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            SentRequest first = client.call("a.first", null);
            SentRequest second = client.call("a.second", null);
            ResponseStream stream = client.stream("a.stream", null);
            assertThat(first.get()).isEqualTo(object().put("n", 1));
            assertThat(stream.next()).isEqualTo(object().put("n", 3));
            assertThat(second.get()).isEqualTo(object().put("n", 2));
        }
    }

    @Test
    void aLateResponseIsDropped() throws Exception {
        CountDownLatch late = new CountDownLatch(1);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request slow = side.read();
                    late.await();
                    side.answer(slow, "{\"slow\":1}");
                    side.answer(side.read(), "{\"quick\":1}");
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            SentRequest slow = client.call("a.slow", null);
            assertThatThrownBy(() -> slow.get(AT_ONCE))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage(socket() + " did not answer a.slow within 1 ms");
            late.countDown();
            assertThat(client.rpc("a.quick", null)).isEqualTo(object().put("quick", 1));
        }
    }

    @Test
    void enodataEndsAStream() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    assertThat(stream.isStreaming()).isTrue();
                    side.stream(stream, "{\"n\":1}");
                    side.stream(stream, "{\"n\":2}");
                    side.fail(stream, 61, null);
                });
                FluxClient client = FluxClient.connect(peer.uri());
                ResponseStream stream = client.stream("resource.journal", object())) {
            List<ObjectNode> responses = new ArrayList<>();
            stream.forEachRemaining(responses::add);
            assertThat(responses).containsExactly(object().put("n", 1), object().put("n", 2));
            assertThat(stream.hasNext()).isFalse();
            assertThat(stream.await(AT_ONCE)).isTrue();
            assertThatThrownBy(stream::next)
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("resource.journal: the stream has ended");
        }
    }

    @Test
    void aFailedStreamThrowsItsErrorAtEachCall() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    side.stream(stream, "{}");
                    side.fail(stream, 16, null);
                });
                FluxClient client = FluxClient.connect(peer.uri());
                ResponseStream stream = client.stream("resource.acquire", null)) {
            assertThat(stream.next()).isEmpty();
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(stream::hasNext)
                        .isInstanceOf(RpcException.class)
                        .hasMessage("Device or resource busy");
            }
        }
    }

    @Test
    void awaitWaitsForASilentStreamForALimitedTime() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    go.await();
                    side.stream(stream, "{}");
                });
                FluxClient client = FluxClient.connect(peer.uri());
                ResponseStream stream = client.stream("a.b", null)) {
            assertThat(stream.await(AT_ONCE)).isFalse();
            assertThat(stream.await(Duration.ZERO)).isFalse();
            go.countDown();
            assertThat(stream.await(Duration.ofMinutes(4))).isTrue();
            assertThat(stream.next()).isEmpty();
            peer.join();
            assertThatThrownBy(stream::hasNext).isInstanceOf(UncheckedIOException.class);
        } // there is nothing left to cancel
    }

    @Test
    void theTimeoutAppliesToTheFirstResponseOfAStream() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        Options hasty = Options.DEFAULT.withTimeout(AT_ONCE);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request silent = side.read();
                    go.await();
                    side.stream(silent, "{\"late\":true}");
                    side.read(); // the cancellation
                    side.readOrEnd();
                });
                FluxClient client = new FluxClient(ClientConnection.open(peer.uri(), Options.DEFAULT), hasty);
                ResponseStream stream = client.stream("a.b", null)) {
            assertThatThrownBy(stream::hasNext)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(SocketTimeoutException.class)
                    .hasMessageEndingWith(socket() + " did not answer a.b within 1 ms");
            go.countDown();
            assertThat(stream.await(AT_ONCE)).isFalse();
        }
    }

    @Test
    void anInterruptEndsTheWaitForAStreamWithoutLoss() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    go.await();
                    side.stream(stream, "{}");
                    side.readOrEnd();
                });
                FluxClient client = FluxClient.connect(peer.uri());
                ResponseStream stream = client.stream("a.b", null)) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(stream::hasNext)
                    .hasCauseInstanceOf(InterruptedIOException.class)
                    .hasMessageEndingWith("interrupted while waiting for " + socket());
            assertThat(Thread.interrupted()).as("still marked").isTrue();
            go.countDown();
            assertThat(stream.next()).as("nothing is lost").isEmpty();
        }
    }

    @Test
    void aVeryLongTimeoutCountsAsNone() throws Exception {
        Options patient = Options.DEFAULT.withTimeout(Duration.ofSeconds(Long.MAX_VALUE));
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> side.answer(side.read(), "{}"));
                FluxClient client = FluxClient.connect(peer.uri(), patient)) {
            assertThat(client.rpc("a.b", null)).isEmpty();
            peer.join();
        }
    }

    @Test
    void aCancelledStreamCanBeReadToItsEnd() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    side.stream(stream, "{\"n\":1}");
                    Request cancel = side.read();
                    assertThat(cancel.topic()).isEqualTo("resource.journal-cancel");
                    assertThat(cancel.isNoresponse()).isTrue();
                    assertThat(Cancellation.parse(cancel.payload()).matchtag()).isEqualTo(stream.matchtag());
                    side.stream(stream, "{\"n\":2}");
                    side.fail(stream, 125, null);
                });
                FluxClient client = FluxClient.connect(peer.uri());
                ResponseStream stream = client.stream("resource.journal", null)) {
            assertThat(stream.next()).isEqualTo(object().put("n", 1));
            stream.cancel();
            stream.cancel();
            assertThat(stream.next()).isEqualTo(object().put("n", 2));
            assertThat(stream.hasNext()).isFalse();
            peer.join();
        }
    }

    @Test
    void closingAStreamCancelsItAndDropsTheRest() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    side.stream(stream, "{\"n\":1}");
                    assertThat(side.read().topic()).isEqualTo("a.b-cancel");
                    side.stream(stream, "{\"n\":2}");
                    side.fail(stream, 61, null);
                    side.answer(side.read(), "{\"ok\":true}");
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            ResponseStream stream = client.stream("a.b", null);
            stream.close();
            assertThat(stream.hasNext()).isFalse();
            assertThat(client.rpc("a.c", null)).isEqualTo(object().put("ok", true));
            peer.join();
        }
    }

    @Test
    void aMalformedResponseIsAProtocolError() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    side.answer(side.read(), "[]");
                    side.read();
                    side.write(new byte[] {'H', 'T', 'T', 'P'});
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessage("JSON payload is not an object");
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessage(socket() + ": byte 0 of a frame's magic is 0x48 where 0x12 is right");
        }
    }

    @Test
    void aClosedConnectionIsReported() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), ScriptedPeer.Side::read);
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(EOFException.class)
                    .hasMessage(socket() + " closed the connection");
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(IOException.class)
                    .hasMessage("connection to " + socket() + " is broken: Broken pipe");
        }
    }

    @Test
    void aConnectionThatIsClosedInsideAFrameIsReportedAsSuch() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    side.read();
                    side.write(new byte[] {0x12, 0});
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(EOFException.class)
                    .hasMessage(socket() + " closed the connection inside a frame");
        }
    }

    @Test
    void callsOnAClosedClientFail() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), ScriptedPeer.Side::readOrEnd)) {
            FluxClient client = FluxClient.connect(peer.uri());
            client.close();
            client.close();
            peer.join();
            assertThatThrownBy(() -> client.rpc("a.b", null))
                    .isInstanceOf(IOException.class)
                    .hasMessageEndingWith("is broken: this side has closed it");
        }
    }

    /** Neither side may wait until the other reads first. */
    @Test
    void largeRequestsAndLargeResponsesDoNotBlockEachOther() throws Exception {
        int calls = 64;
        String large = "x".repeat(100_000);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    for (int i = 0; i < calls; i++) {
                        Request request = side.read();
                        side.answer(request, "{\"text\":\"" + large + "\"}");
                    }
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            List<SentRequest> sent = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                sent.add(client.call("a.b", object().put("text", large)));
            }
            for (SentRequest call : sent) {
                assertThat(call.get()).isEqualTo(object().put("text", large));
            }
        }
    }

    @Test
    void theMemoryForUnreadResponsesIsLimited() throws Exception {
        String large = "{\"text\":\"" + "x".repeat(8 << 20) + "\"}";
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> {
                    Request stream = side.read();
                    side.read();
                    for (int i = 0; i < 32; i++) {
                        side.stream(stream, large);
                    }
                    side.readOrEnd();
                });
                FluxClient client = FluxClient.connect(peer.uri())) {
            ResponseStream stream = client.stream("a.stream", null);
            assertThatThrownBy(() -> client.rpc("a.call", null))
                    .isInstanceOf(IOException.class)
                    .hasMessageMatching("\\d+ bytes of responses unread where 268435456 are allowed");
            stream.close();
            peer.join();
        }
    }

    @Test
    void sendingToAServerThatDoesNotReadTimesOut() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> end.await());
                FluxClient client = FluxClient.connect(peer.uri())) {
            Request large = Request.of("a.b", Bytes.wrap(new byte[10_000_000]), Header.NORESPONSE, 0);
            assertThatThrownBy(() -> client.transmit(large, Deadline.in(AT_ONCE)))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage(socket() + " does not read the request a.b");
            assertThatThrownBy(() -> client.send("a.b", null)).hasMessageEndingWith("this side has closed it");
            end.countDown();
        }
    }

    @Test
    void theTraceHasALineForEachMessage() throws Exception {
        List<String> lines = new ArrayList<>();
        try (ScriptedPeer peer = ScriptedPeer.welcoming(socket(), side -> side.answer(side.read(), "{\"b\":2}"));
                FluxClient client = FluxClient.connect(peer.uri(), Options.DEFAULT.withTrace(lines::add))) {
            client.rpc("a.b", object().put("a", 1));
        }
        assertThat(lines)
                .containsExactly(
                        "> " + socket() + " request a.b tag=1 node=any from=unset {\"a\":1}",
                        "< " + socket() + " response a.b tag=1 from=0(owner,local) {\"b\":2}");
    }

    private Path socket() {
        return directory.resolve("s");
    }

    private static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }
}
