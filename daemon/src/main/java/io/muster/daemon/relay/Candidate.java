package io.muster.daemon.relay;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.TlsServer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One server of the relay, and the connection to it, if there is one. A server that accepts the connection is asked whether it leads.
 * While the relay seeks the leader, a server that cannot be reached is tried again, and a standby is asked again.
 */
final class Candidate {
    private static final Logger log = LoggerFactory.getLogger("relay");

    private static final int WELCOME_MILLIS = 6000;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LONGEST_PAUSE_MILLIS = 2000;
    private static final long ASK_AGAIN_MILLIS = 250;
    /**
     * A leader to which etcd does not respond refuses requests although it leads. For this time, its claim to lead is
     * ignored, so that other servers are considered.
     */
    private static final long REFUSED_MILLIS = 50;

    private static final String SILENCE = "does not answer";
    private static final int MOST_FRAME = 1 << 30;
    /** The matchtag of the question whether the server leads. Requests of users have a route; this one has none. */
    private static final int ROLE = 1;

    private final RelayLoop relay;
    private final Upstream upstream;
    private final TlsServer server;
    private boolean connecting;
    /** Whether {@link #seek} is going to be called again. */
    private boolean due;

    private @Nullable Channel welcomed;
    /** The addresses of the host are tried in turn. */
    private int attempt;

    private long pause = FIRST_PAUSE_MILLIS;
    private boolean leads;
    private long refusedAt;
    private String fault = "not connected yet";
    /** The number of questions that were sent since the server last sent something. */
    private int silent;

    Candidate(RelayLoop relay, Upstream upstream, TlsServer server) {
        this.relay = relay;
        this.upstream = upstream;
        this.server = server;
        this.refusedAt = relay.host().nanos() - TimeUnit.SECONDS.toNanos(1);
    }

    String name() {
        return server.name();
    }

    /** Returns why there is no connection. */
    String fault() {
        return name() + ": " + (silent > Upstream.DOUBTED ? SILENCE : fault);
    }

    boolean leads() {
        return leads;
    }

    /** Records that the server has refused a request that a leader accepts. */
    void leadsNoMore() {
        leads = false;
        refusedAt = relay.host().nanos();
    }

    boolean isWritable() {
        Channel channel = welcomed;
        return channel == null || channel.isWritable();
    }

    boolean isConnected() {
        return welcomed != null;
    }

    int silent() {
        return silent;
    }

    /** Connects to the server, or asks it whether it leads. */
    void seek() {
        if (welcomed != null) {
            ask();
        } else if (!connecting) {
            connecting = true;
            relay.host().connect(server, attempt, new Wiring(), this::failed);
        }
    }

    private void failed(String why) {
        connecting = false;
        leads = false;
        attempt++;
        fault = why;
        long wait = pause;
        pause = Math.min(LONGEST_PAUSE_MILLIS, 2 * pause);
        upstream.ended(this);
        again(wait);
    }

    private void again(long millis) {
        if (due) {
            return;
        }
        due = true;
        upstream.later(millis, () -> {
            due = false;
            if (upstream.seeks()) {
                seek();
            }
        });
    }

    /** Asks whether the server leads. The answer is also a sign of life. */
    void ask() {
        silent++;
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("name", "muster.role");
        send(Request.of("attr.get", Json.encode(payload), 0, ROLE));
    }

    private void told(Response response) {
        boolean refused = relay.host().nanos() - refusedAt < TimeUnit.MILLISECONDS.toNanos(REFUSED_MILLIS);
        leads = !refused && !isStandby(response);
        fault = refused ? "takes no requests" : "is a standby";
        upstream.told(this);
        if (!leads) {
            again(refused ? REFUSED_MILLIS : ASK_AGAIN_MILLIS);
        }
    }

    /** A daemon that keeps its ledger in files has no such attribute, answers with an error, and always leads. */
    private static boolean isStandby(Response response) {
        Bytes payload = response.payload();
        try {
            return response.errnum() == 0
                    && payload != null
                    && Json.parse(payload).path("value").asText().equals("standby");
        } catch (ProtocolException e) {
            return true;
        }
    }

    /** Sends a request, if there is a connection. Returns whether there is. */
    boolean send(Request request) {
        Channel channel = welcomed;
        if (channel == null) {
            return false;
        }
        channel.writeAndFlush(
                Unpooled.wrappedBuffer(FrameEncoder.of(Dialect.DEPLOYED).encode(request)), channel.voidPromise());
        return true;
    }

    /** Ends the connection, if there is one. */
    void close() {
        Channel channel = welcomed;
        if (channel != null) {
            channel.close();
        }
    }

    /** Handles one connection: the handshake, the welcome, and the responses. */
    private final class Wiring extends ChannelInboundHandlerAdapter {
        private final FrameDecoder decoder = new FrameDecoder(MOST_FRAME);
        private boolean accepted;
        private String why = "closed the connection";

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            upstream.later(WELCOME_MILLIS, () -> {
                if (!accepted) {
                    why = SILENCE;
                    ctx.close();
                }
            });
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            silent = 0;
            try {
                if (!accepted && bytes.isReadable()) {
                    welcome(ctx, bytes.readByte() & 0xff);
                }
                for (ByteBuffer piece : bytes.nioBuffers()) {
                    read(piece);
                }
            } catch (ProtocolException e) {
                why = String.valueOf(e.getMessage());
                ctx.close();
            } finally {
                bytes.release();
            }
        }

        private void welcome(ChannelHandlerContext ctx, int errnum) {
            if (errnum != 0) {
                why = "refused the connection: " + new Errno(errnum).text();
                ctx.close();
                return;
            }
            accepted = true;
            connecting = false;
            pause = FIRST_PAUSE_MILLIS;
            welcomed = ctx.channel();
            ask();
        }

        private void read(ByteBuffer piece) throws ProtocolException {
            for (Message next = decoder.feed(piece); next != null; next = decoder.feed(piece)) {
                if (next instanceof Response response) {
                    if (response.routes().isEmpty() && response.matchtag() == ROLE) {
                        told(response);
                    } else {
                        upstream.receive(Candidate.this, response);
                    }
                }
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            relay.forEach(Local::resume);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            String reason = silent > Upstream.SILENT ? SILENCE : why;
            welcomed = null;
            silent = 0;
            failed(reason);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException) && !(cause instanceof DecoderException)) {
                log.error("a bug closed the connection to {}", name(), cause);
            }
            why = TlsServer.reason(cause);
            ctx.close();
        }
    }
}
