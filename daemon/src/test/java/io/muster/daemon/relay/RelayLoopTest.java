package io.muster.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.machine.SimExecutor;
import io.muster.daemon.machine.SimMachine;
import io.muster.daemon.machine.Simulation;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.rpc.Cancellation;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A relay in virtual time, with one server, which leads. */
class RelayLoopTest {
    private static final long MINUTE = 60_000_000_000L;

    private final Simulation simulation = new Simulation(1);
    private final SimMachine machine = new SimMachine(simulation, "login1");
    private final Host host = new Host();
    private final RelayLoop relay =
            new RelayLoop(host, List.of(TlsServer.parse("tls://a:1")), "login1", Duration.ofSeconds(5));
    private final EmbeddedChannel user = new EmbeddedChannel();

    private final class Host implements RelayHost {
        private final SimExecutor loop = machine.worker("relay", 1000);
        private Server server = new Server();
        /** The lookups of names that the name service has not answered. */
        private final List<Consumer<String>> unanswered = new ArrayList<>();

        private boolean answers = true;

        @Override
        public SimExecutor loop() {
            return loop;
        }

        @Override
        public long nanos() {
            return machine.nanos();
        }

        @Override
        public void name(int uid, Consumer<String> then) {
            if (answers) {
                loop.execute(() -> then.accept("alice"));
            } else {
                unanswered.add(then);
            }
        }

        @Override
        public void connect(TlsServer to, int attempt, ChannelHandler handler, Consumer<String> failed) {
            loop.execute(() -> {
                server = new Server();
                server.channel = new EmbeddedChannel(server, handler);
                server.channel.writeInbound(Unpooled.wrappedBuffer(new byte[1]));
            });
        }
    }

    /** The connection of the relay to the server: answers questions about the role, and keeps everything else. */
    private final class Server extends ChannelOutboundHandlerAdapter {
        private final FrameDecoder decoder = new FrameDecoder(1 << 20);
        private final List<String> requests = new ArrayList<>();
        private final List<Request> sent = new ArrayList<>();
        private EmbeddedChannel channel = new EmbeddedChannel();

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) throws ProtocolException {
            ByteBuf bytes = (ByteBuf) message;
            ByteBuffer frame = bytes.nioBuffer();
            for (Message next = decoder.feed(frame); next != null; next = decoder.feed(frame)) {
                Request request = (Request) next;
                if (request.topic().equals("attr.get")) {
                    Credentials owner = new Credentials(0, Credentials.OWNER);
                    Response leads = Response.success(request, owner, Bytes.text("{\"value\":\"leader\"}"));
                    host.loop.execute(() -> channel.writeInbound(encoded(leads)));
                } else {
                    sent.add(request);
                    Bytes payload = request.payload();
                    requests.add(request.topic() + (payload == null ? "" : " " + payload.text()));
                }
            }
            bytes.release();
        }
    }

    private static ByteBuf encoded(Message message) {
        return Unpooled.wrappedBuffer(FrameEncoder.of(Dialect.DEPLOYED).encode(message));
    }

    private void onRelay(Runnable action) {
        host.loop.execute(action);
        run(MINUTE / 60);
    }

    private void run(long nanos) {
        simulation.runUntil(simulation.now() + nanos);
    }

    private void ask(String topic) {
        onRelay(() -> user.writeInbound(encoded(Request.of(topic, null, 0, 1 + host.server.requests.size()))));
    }

    @Test
    void theNextLeaderIsToldTheNameOfAUserBeforeARequestAlsoIfTheNameServiceDoesNotAnswer() {
        onRelay(relay::start);
        onRelay(() -> {
            relay.serve(user, () -> 700);
            user.pipeline().fireChannelActive();
        });
        ask("resource.status");
        assertThat(host.server.requests)
                .containsExactly("resource.introduce {\"userid\":700,\"name\":\"alice\"}", "resource.status");

        run(11 * MINUTE);
        host.answers = false;
        Server before = host.server;
        onRelay(() -> before.channel.close());
        run(MINUTE);
        ask("resource.sched-status");
        assertThat(host.server).isNotSameAs(before);
        assertThat(host.server.requests)
                .containsExactly(
                        "resource.introduce {\"userid\":700,\"name\":\"alice\"}",
                        "resource.status",
                        "resource.sched-status");
        assertThat(host.unanswered).hasSize(1);

        onRelay(() -> host.unanswered.get(0).accept("bob"));
        assertThat(host.server.requests).endsWith("resource.introduce {\"userid\":700,\"name\":\"bob\"}");
    }

    @Test
    void anAcquisitionThatAStandbyRefusesAfterItWasCancelledEnds() throws Exception {
        onRelay(relay::start);
        onRelay(() -> {
            relay.serve(user, () -> 700);
            user.pipeline().fireChannelActive();
        });
        onRelay(() -> user.writeInbound(encoded(Request.of("resource.acquire", null, Header.STREAMING, 5))));
        Request acquire = host.server.sent.get(1);
        Bytes cancellation = new Cancellation(5).encode();
        onRelay(() -> user.writeInbound(encoded(
                Request.of("resource.acquire-cancel", cancellation, Header.NORESPONSE, Request.MATCHTAG_NONE))));
        user.outboundMessages().clear();
        Credentials owner = new Credentials(0, Credentials.OWNER);
        onRelay(() -> host.server.channel.writeInbound(
                encoded(Response.error(acquire, owner, Errno.EREMOTE.value(), "a standby"))));
        run(MINUTE);
        assertThat(host.server.sent.stream().map(Request::topic))
                .containsExactly("resource.introduce", "resource.acquire", "resource.acquire-cancel");
        ByteBuf answer = user.readOutbound();
        assertThat(((Response) Objects.requireNonNull(new FrameDecoder(1 << 20).feed(answer.nioBuffer()))).errnum())
                .isEqualTo(Errno.ECANCELED.value());
        answer.release();
    }
}
