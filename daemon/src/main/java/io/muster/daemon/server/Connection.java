package io.muster.daemon.server;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer's socket. A peer that does not read its answers, or has too many changes waiting for the disk, is not read
 * from: what it has sent already waits, undecoded, and so a peer costs a frame and a socket's buffers, whatever it does.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Outbox {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private static final int MOST_PENDING = 4096;
    private static final int RESUME_PENDING = 2048;
    /** Payloads longer than this are sent from where they are, not copied. */
    private static final int COPIED = 4096;

    /** A frame is one write of the peer's: what has not come in this time will not. */
    private static final Duration UNFINISHED = Duration.ofSeconds(60);

    /** A peer that follows a stream may sleep as long as it likes; others are let go. */
    private static final Duration DEAF = Duration.ofMinutes(10);

    /** Rouses the handler from a task, so that what goes wrong there ends the connection as it would anywhere else. */
    private enum Rouse {
        FLUSH,
        RESUME
    }

    private final String peer;
    private final FrameDecoder decoder;
    private final Session session;
    private final Tracer trace;
    private final BooleanSupplier mayComplain;
    private final Channel channel;

    private @Nullable ByteBuf unread;
    private int pending;
    private boolean reading;
    private boolean flushing;
    private boolean resuming;
    private boolean stopped;
    private boolean closed;

    private final Stagnation frame = new Stagnation(UNFINISHED);
    private final Stagnation deaf = new Stagnation(DEAF);
    private long served;

    /** @param mayComplain whether the log has room for one more line about what this peer does wrong */
    Connection(
            Channel channel,
            String peer,
            int maxFrame,
            Tracer trace,
            BooleanSupplier mayComplain,
            Function<Outbox, Session> session) {
        this.channel = channel;
        this.peer = peer;
        this.decoder = new FrameDecoder(maxFrame);
        this.trace = trace;
        this.mayComplain = mayComplain;
        this.session = session.apply(this);
        log.debug("peer={} welcome", peer);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (closed) {
            bytes.release();
            return;
        }
        ByteBuf before = unread;
        unread = before == null ? bytes : Unpooled.wrappedBuffer(before, bytes);
        serve();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        channel.flush();
    }

    /** May be called from within a write, so nothing is written here: that would recurse, once for each 64 KB sent. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (isWritable()) {
            resumeSoon();
        } else {
            flushSoon();
        }
    }

    private void flushSoon() {
        if (!flushing) {
            flushing = true;
            rouse(Rouse.FLUSH);
        }
    }

    private void resumeSoon() {
        if (!resuming) {
            resuming = true;
            rouse(Rouse.RESUME);
        }
    }

    private void rouse(Rouse event) {
        channel.eventLoop().execute(() -> channel.pipeline().fireUserEventTriggered(event));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Rouse.FLUSH) {
            flushing = false;
            channel.flush();
        } else if (event == Rouse.RESUME) {
            resuming = false;
            if (!closed) {
                session.resume();
                serve();
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            log.debug("peer={} lost: {}", peer, cause.getMessage());
        } else {
            log.error("peer={} connection closed by a bug", peer, cause);
        }
        ctx.close();
    }

    private boolean mayServe() {
        return !closed && !stopped && isWritable() && pending < MOST_PENDING;
    }

    /** Serves what has been read, as far as the peer keeps up. A message may end the connection, or come back here. */
    private void serve() {
        if (reading || closed) {
            return;
        }
        reading = true;
        try {
            ByteBuf bytes = unread;
            while (bytes != null && mayServe()) {
                Message message = decode(bytes);
                if (message == null) {
                    unread = null;
                    bytes.release();
                    break;
                }
                served++;
                trace.message(peer, '<', message);
                session.receive(message);
                bytes = unread;
            }
        } catch (ProtocolException e) {
            letGo(String.valueOf(e.getMessage()));
        } finally {
            reading = false;
        }
        if (!closed) {
            channel.config().setAutoRead(unread == null && !stopped);
        }
    }

    /** What the peer sends from here on is not read. */
    void stopServing() {
        stopped = true;
        channel.config().setAutoRead(false);
    }

    /** Lets the peer go if it is stuck: to be called every few seconds. */
    void sweep(long nanos) {
        boolean waits = unread == null && !stopped && decoder.isInsideFrame();
        if (frame.lasts(waits, served, nanos)) {
            letGo("it has left a message unfinished for " + UNFINISHED.toSeconds() + " s");
        } else if (deaf.lasts(!isWritable() && session.isIdle(), channel.bytesBeforeWritable(), nanos)) {
            letGo("it has read nothing of its answers for " + DEAF.toMinutes() + " minutes");
        }
    }

    private void letGo(String why) {
        if (mayComplain.getAsBoolean()) {
            log.warn("peer={} closed: {}", peer, why);
        }
        channel.close();
        release();
    }

    /** Something that should end soon and may not. */
    private static final class Stagnation {
        private final long limit;
        private boolean on;
        private long mark;
        private long since;

        Stagnation(Duration limit) {
            this.limit = limit.toNanos();
        }

        /** @param progress differs from the last time if there was any */
        boolean lasts(boolean now, long progress, long nanos) {
            if (!now || !on || progress != mark) {
                on = now;
                mark = progress;
                since = nanos;
            }
            return on && nanos - since >= limit;
        }
    }

    private @Nullable Message decode(ByteBuf bytes) throws ProtocolException {
        Message message = null;
        while (message == null && bytes.isReadable()) {
            ByteBuffer piece = bytes.nioBufferCount() == 1
                    ? bytes.internalNioBuffer(bytes.readerIndex(), bytes.readableBytes())
                    : bytes.nioBuffers()[0];
            int before = piece.remaining();
            message = decoder.feed(piece);
            bytes.skipBytes(before - piece.remaining());
        }
        return message;
    }

    private void release() {
        if (!closed) {
            closed = true;
            log.debug("peer={} gone requests={}", peer, served);
            ByteBuf left = unread;
            unread = null;
            if (left != null) {
                left.release();
            }
            session.close();
        }
    }

    @Override
    public void send(Response response) {
        if (closed) {
            return;
        }
        trace.message(peer, '>', response);
        write(response);
        flushSoon();
    }

    private void write(Response response) {
        FrameEncoder encoder = FrameEncoder.of(dialect());
        Bytes payload = response.payload();
        if (payload == null || payload.length() <= COPIED) {
            int size = encoder.size(response);
            ByteBuf frame = channel.alloc().buffer(size, size);
            encoder.encode(response, frame.internalNioBuffer(0, size));
            channel.write(frame.writerIndex(size), channel.voidPromise());
        } else {
            ByteBuf head = channel.alloc().buffer(encoder.headSize(response));
            encoder.writeHead(response, head.internalNioBuffer(0, head.capacity()));
            ByteBuf tail = channel.alloc().buffer(encoder.tailSize());
            encoder.writeTail(response, tail.internalNioBuffer(0, tail.capacity()));
            channel.write(head.writerIndex(head.capacity()), channel.voidPromise());
            channel.write(Unpooled.wrappedBuffer(payload.toByteBuffer()), channel.voidPromise());
            channel.write(tail.writerIndex(tail.capacity()), channel.voidPromise());
        }
    }

    private Dialect dialect() {
        Dialect spoken = decoder.dialect();
        return spoken == null ? Dialect.DEPLOYED : spoken;
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void pending(int change) {
        pending += change;
        if (change < 0 && pending == RESUME_PENDING && unread != null) {
            resumeSoon();
        }
    }
}
