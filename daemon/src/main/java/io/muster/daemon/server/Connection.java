package io.muster.daemon.server;

import io.muster.daemon.server.budget.MemoryBudget;
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
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer's socket. A peer that does not read its answers, or has too many changes waiting for the disk, is not read
 * from: what it has sent already waits, undecoded, and so a peer costs a frame, an answer and a socket's buffers, whatever it
 * does. What all of them may cost together is for the {@link MemoryBudget}.
 */
final class Connection extends ChannelInboundHandlerAdapter implements Outbox, MemoryBudget.Holder {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private static final int MOST_PENDING = 4096;
    private static final int RESUME_PENDING = 2048;
    /** Payloads longer than this stay where they are, shared with others who are sent the same, until the peer reads them. */
    private static final int COPIED = 4096;

    /** What of them is in a socket's buffer at a time, outside the heap. */
    private static final int PIECE = 1 << 15;

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
    private final MemoryBudget.@Nullable Account account;

    private @Nullable ByteBuf unread;
    /** Answers that there was no room for, in order; while there are any, the channel is not writable. */
    private final Deque<Rest> unsent = new ArrayDeque<>();

    private long unsentBytes;
    private int pending;
    private boolean reading;
    private boolean flushing;
    private boolean resuming;
    private boolean stopped;
    private boolean finishing;
    private boolean closed;

    private final Stagnation frame = new Stagnation(UNFINISHED);
    private final Stagnation deaf = new Stagnation(DEAF);
    private long served;

    /**
     * What a peer may cost.
     *
     * @param maxFrame bytes of one message
     * @param memory what it shares with others; null for one that is trusted with all of it
     * @param mayComplain whether the log has room for one more line about what this peer does wrong
     */
    record Terms(int maxFrame, @Nullable MemoryBudget memory, BooleanSupplier mayComplain) {}

    /** What the peer has still to be sent of a frame's part. */
    private record Rest(ByteBuffer bytes, Bytes of) {}

    Connection(Channel channel, String peer, Terms terms, Tracer trace, Function<Outbox, Session> session) {
        this.channel = channel;
        this.peer = peer;
        this.decoder = new FrameDecoder(terms.maxFrame);
        this.trace = trace;
        this.mayComplain = terms.mayComplain;
        this.session = session.apply(this);
        this.account = terms.memory == null ? null : terms.memory.open(this);
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
        if (channel.isWritable()) {
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
            account();
        } else if (event == Rouse.RESUME) {
            resuming = false;
            if (!closed) {
                sendOn();
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
            account();
        }
    }

    private void account() {
        if (account != null && !closed) {
            account.update();
        }
    }

    /** What is shared with others is not in it. */
    @Override
    public long holds() {
        ByteBuf bytes = unread;
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return decoder.held()
                + (bytes == null ? 0 : bytes.capacity())
                + (out == null ? 0 : out.totalPendingWriteBytes())
                + session.keeps();
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
        } else if (deaf.lasts(!isWritable() && session.isIdle(), channel.bytesBeforeWritable() + unsentBytes, nanos)) {
            letGo("it has read nothing of its answers for " + DEAF.toMinutes() + " minutes");
        }
    }

    /** The end, as soon as the peer has read what it was sent. */
    void finish() {
        if (unsent.isEmpty()) {
            end();
        } else {
            finishing = true;
        }
    }

    private void end() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void letGo(String why) {
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
            unsent.clear();
            session.close();
            if (account != null) {
                account.close();
            }
        }
    }

    @Override
    public void send(Response response) {
        if (closed) {
            return;
        }
        trace.message(peer, '>', response);
        write(response);
        flushSoon(); // which counts it too: whoever sends is in the middle of something, and nobody may be let go
    }

    private void write(Response response) {
        FrameEncoder encoder = FrameEncoder.of(dialect());
        Bytes payload = response.payload();
        if (unsent.isEmpty() && (payload == null || payload.length() <= COPIED)) {
            int size = encoder.size(response);
            ByteBuf frame = channel.alloc().buffer(size, size);
            encoder.encode(response, frame.internalNioBuffer(0, size));
            channel.write(frame.writerIndex(size), channel.voidPromise());
        } else if (payload == null || payload.length() <= COPIED) {
            sendLater(Bytes.copyOf(encoder.encode(response)));
        } else {
            ByteBuffer head = ByteBuffer.allocate(encoder.headSize(response));
            encoder.writeHead(response, head);
            ByteBuffer tail = ByteBuffer.allocate(encoder.tailSize());
            encoder.writeTail(response, tail);
            sendLater(Bytes.copyOf(head.flip()));
            sendLater(payload);
            sendLater(Bytes.copyOf(tail.flip()));
            sendOn();
        }
    }

    private void sendLater(Bytes part) {
        unsent.add(new Rest(part.toByteBuffer(), part));
        unsentBytes += part.length();
        if (account != null) {
            account.waits(part, part.length());
        }
    }

    /** As much as there is room for. Heap buffers would be copied whole into memory outside the heap, for each peer. */
    private void sendOn() {
        while (!unsent.isEmpty() && channel.isWritable()) {
            ByteBuf piece = nextPiece(unsent.element());
            flushSoon();
            channel.write(piece, channel.voidPromise());
        }
        if (finishing && unsent.isEmpty()) {
            finishing = false;
            end();
        }
    }

    private ByteBuf nextPiece(Rest rest) {
        int size = Math.min(PIECE, rest.bytes.remaining());
        ByteBuf piece = channel.alloc().directBuffer(size, size);
        piece.writeBytes(rest.bytes.slice().limit(size));
        rest.bytes.position(rest.bytes.position() + size);
        unsentBytes -= size;
        if (!rest.bytes.hasRemaining()) {
            unsent.remove();
            if (account != null) {
                account.isRead(rest.of);
            }
        }
        return piece;
    }

    private Dialect dialect() {
        Dialect spoken = decoder.dialect();
        return spoken == null ? Dialect.DEPLOYED : spoken;
    }

    @Override
    public boolean isWritable() {
        return unsent.isEmpty() && channel.isWritable();
    }

    @Override
    public void pending(int change) {
        pending += change;
        if (change < 0 && pending == RESUME_PENDING && unread != null) {
            resumeSoon();
        }
    }
}
