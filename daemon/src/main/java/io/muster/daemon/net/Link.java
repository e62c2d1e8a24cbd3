package io.muster.daemon.net;

import io.muster.daemon.service.Outbox;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Dialect;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.FrameEncoder;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Request;
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
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One peer's socket.
 *
 * <p>A client may send all its requests before it reads the first answer; libflux does, and waits in write(2) meanwhile. So the
 * connection goes on reading when its peer does not: requests wait in a {@link Backlog}, undecoded, and an answer is made when there
 * is room for it in the socket's buffer. A peer costs one answer and the requests that wait, whatever it asks for. What all peers may
 * cost together is for the {@link MemoryBudget}: when that gets tight, a request loses its payload and is answered with EAGAIN in its
 * turn, and when it is full the connection is closed.
 *
 * <p>The connection stops reading only while it is itself what others wait for: while a peer that does read its answers has requests
 * waiting: for their turn, for the answer to a query, or for the disk. So one of the two sides always goes on.
 */
final class Link extends ChannelInboundHandlerAdapter implements Outbox, MemoryBudget.Holder {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private static final int RESUME_PENDING = 2048;

    /** Requests that are served before other connections have their turn: about what is read at once. */
    static final int TURN = 128;

    /** Payloads longer than this stay where they are, shared with others who are sent the same, until the peer reads them. */
    private static final int COPIED = 4096;

    private static final String NO_ROOM =
            "not done: this connection had too many requests waiting, since it does not read the answers; read answers while"
                    + " requests are sent, and send this one again";

    /** What the handler does in a task of its own, so that what goes wrong there ends the connection as it would anywhere else. */
    private enum Task {
        FLUSH,
        /** The peer reads again. */
        RESUME,
        SERVE
    }

    private final String peer;
    private final FrameDecoder decoder;
    private final Session session;
    private final Tracer trace;
    private final Terms terms;
    private final Channel channel;
    private final MemoryBudget.Account account;

    private final Backlog backlog = new Backlog();
    /** What was wrong with what came after the requests that wait: the end of the connection, in its turn. */
    private @Nullable String fault;

    /** While this holds anything, the connection is not writable. */
    private final Unsent unsent;

    private final Deadlines deadlines = new Deadlines();
    private final Set<Task> due = EnumSet.noneOf(Task.class);
    private int pending;
    private long received;
    private Lifecycle state = Lifecycle.OPEN;
    /** Guards {@link #serve} against being called from within itself. */
    private boolean serving;

    /**
     * What a peer may cost.
     *
     * @param maxFrame bytes of one message
     * @param memory what the peer shares with others
     * @param mayComplain whether the log has room for one more line about what this peer does wrong
     * @param stopping whether the daemon stops, so that no more requests are served
     */
    record Terms(int maxFrame, MemoryBudget memory, BooleanSupplier mayComplain, BooleanSupplier stopping) {}

    Link(Channel channel, String peer, Terms terms, Tracer trace, Function<Outbox, Session> session) {
        this.channel = channel;
        this.peer = peer;
        this.decoder = new FrameDecoder(terms.maxFrame);
        this.trace = trace;
        this.terms = terms;
        this.session = session.apply(this);
        this.account = terms.memory.open(this);
        this.unsent = new Unsent(account);
        log.debug("peer={} welcome", peer);
    }

    // ---- what the peer sends

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        try {
            for (ByteBuffer piece : bytes.nioBuffers()) {
                receive(piece);
            }
        } catch (ProtocolException e) {
            fault = String.valueOf(e.getMessage());
        } finally {
            bytes.release();
        }
        serve();
    }

    private void receive(ByteBuffer bytes) throws ProtocolException {
        while (!isClosed() && fault == null && bytes.hasRemaining()) {
            byte[] body = decoder.next(bytes);
            if (body != null) {
                received++;
                keep(body);
            }
        }
    }

    private void keep(byte[] body) throws ProtocolException {
        if (isWritable() || !account.isTight()) {
            backlog.add(body, false);
        } else if (account.isFull()) {
            letGo("it does not read its answers, and " + backlog.size() + " requests that wait for that take "
                    + (backlog.bytes() >> 10) + " KiB, beyond which there is no room");
        } else {
            keepWithoutRoom(FrameDecoder.read(body), body);
        }
    }

    /** A request that has no answer may cancel one that waits, or be a change, so it keeps its place in the line. */
    private void keepWithoutRoom(Message message, byte[] body) {
        if (!(message instanceof Request request)) {
            return;
        }
        boolean refused = Session.isAnswered(request);
        if (refused && request.payload() != null) {
            backlog.add(FrameEncoder.of(dialect()).encodeBody(request.withoutPayload()), true);
        } else {
            backlog.add(body, refused);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        channel.flush();
    }

    private boolean mayServe() {
        boolean goesOn = !isClosed() && !terms.stopping.getAsBoolean();
        return goesOn && (isGone() || isWritable()) && pending < MOST_PENDING && !backlog.isEmpty();
    }

    /** Serves what waits, as far as the peer keeps up and as long as its turn lasts. A request may end the connection. */
    private void serve() {
        if (serving || isClosed()) {
            return;
        }
        serving = true;
        try {
            for (int turn = 0; turn < TURN && mayServe(); turn++) {
                serve(backlog.remove());
            }
        } catch (ProtocolException e) {
            letGo(String.valueOf(e.getMessage()));
        } finally {
            serving = false;
        }
        if (!isClosed()) {
            goOn();
        }
    }

    private void serve(Backlog.Waiting next) throws ProtocolException {
        Message message = FrameDecoder.read(next.body());
        trace.message(peer, '<', message);
        if (next.refused()) {
            session.fail((Request) message, new RpcException(Errno.EAGAIN, NO_ROOM));
        } else if (!isGone() || Session.isChange(message)) {
            session.receive(message);
        }
    }

    private void goOn() {
        boolean none = backlog.isEmpty();
        if (none && fault != null) {
            letGo(fault);
        } else if (isGone() && (none || terms.stopping.getAsBoolean())) {
            release();
        } else {
            if (mayServe()) {
                soon(Task.SERVE);
            }
            read();
            account.update();
        }
    }

    private boolean mayRead() {
        return !isGone() && fault == null && !terms.stopping.getAsBoolean() && (backlog.isEmpty() || !isWritable());
    }

    private void read() {
        if (!isGone()) {
            channel.config().setAutoRead(mayRead());
        }
    }

    /** The daemon stops: what the peer sends from here on is not read. */
    void stopServing() {
        read();
    }

    // ---- tasks

    /** May be called from within a write, so nothing is written here: that would recurse, once for each 64 KB sent. */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        soon(channel.isWritable() ? Task.RESUME : Task.FLUSH);
    }

    private void soon(Task task) {
        if (!due.add(task)) {
            return;
        }
        if (task == Task.SERVE) { // the event loop looks at other sockets before it takes what is scheduled now
            var unused = channel.eventLoop().schedule(() -> run(task), 0, TimeUnit.NANOSECONDS);
        } else {
            channel.eventLoop().execute(() -> run(task));
        }
    }

    /** Netty takes a pipeline apart with its channel. */
    private void run(Task task) {
        if (!isGone()) {
            channel.pipeline().fireUserEventTriggered(task);
            return;
        }
        boolean done = false;
        try {
            carryOut(task);
            done = true;
        } finally {
            if (!done) {
                release();
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof Task task) {
            carryOut(task);
        }
    }

    private void carryOut(Task task) {
        due.remove(task);
        if (isClosed()) {
            return;
        }
        if (task == Task.FLUSH) {
            channel.flush();
            read();
            account.update();
            return;
        }
        if (task == Task.RESUME) {
            sendOn();
            session.resume();
        }
        serve();
    }

    @Override
    public void pending(int change) {
        boolean tooMany = pending > RESUME_PENDING;
        pending += change;
        if (change < 0) {
            soon(tooMany && pending <= RESUME_PENDING ? Task.SERVE : Task.FLUSH); // either counts what is held
        }
    }

    // ---- the end

    /** What the peer asked for is done, though nobody reads the answers: changes, that is, and nothing else has an effect then. */
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (isClosed() || backlog.isEmpty() || terms.stopping.getAsBoolean()) {
            release();
        } else {
            state = state.become(Lifecycle.GONE);
            session.close();
            soon(Task.SERVE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException) {
            log.debug("peer={} lost: {}", peer, cause.getMessage());
        } else {
            log.error("peer={} connection closed by a bug", peer, cause);
            release();
        }
        ctx.close();
    }

    /** What is shared with others is not in it. */
    @Override
    public long holds() {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return decoder.held()
                + backlog.bytes()
                + unsent.own()
                + (out == null ? 0 : out.totalPendingWriteBytes())
                + session.keeps();
    }

    /** Closes the connection if it is stuck: to be called every few seconds. */
    void sweep(long nanos) {
        boolean unread = !isWritable() && (session.isIdle() || !backlog.isEmpty());
        String why = deadlines.inMessage(mayRead() && decoder.isInsideFrame(), received, nanos);
        if (why == null) {
            why = deadlines.unread(unread, channel.bytesBeforeWritable() + unsent.bytes(), nanos);
        }
        if (why != null) {
            letGo(why);
        }
    }

    /** The end, as soon as the peer has read what it was sent. */
    void finish() {
        if (state == Lifecycle.OPEN) {
            state = state.become(Lifecycle.FINISHING);
            sendOn();
        }
    }

    @Override
    public void letGo(String why) {
        if (terms.mayComplain.getAsBoolean()) {
            log.warn("peer={} closed: {}", peer, why);
        }
        release();
        channel.close();
    }

    private void release() {
        if (!isClosed()) {
            state = state.become(Lifecycle.CLOSED);
            log.debug("peer={} gone requests={}", peer, received);
            backlog.clear();
            unsent.clear();
            session.close();
            account.close();
        }
    }

    // ---- what the peer is sent

    @Override
    public void send(Response response) {
        if (isGone() || isClosed()) {
            return;
        }
        trace.message(peer, '>', response);
        try {
            write(response);
            soon(Task.FLUSH); // counts it; not now, since whoever sends is in the middle of something, so nobody
            // may be closed
        } catch (OutOfMemoryError e) { // outside the heap, where Netty has a limit of its own
            channel.eventLoop().execute(() -> letGo("there is no memory for an answer to it: " + e.getMessage()));
        }
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
            unsent.add(encoder.encode(response), null);
        } else {
            ByteBuffer head = ByteBuffer.allocate(encoder.headSize(response));
            encoder.writeHead(response, head);
            ByteBuffer tail = ByteBuffer.allocate(encoder.tailSize());
            encoder.writeTail(response, tail);
            unsent.add(head.flip(), null);
            unsent.add(payload.toByteBuffer(), payload);
            unsent.add(tail.flip(), null);
            sendOn();
        }
    }

    /** Writes as much as the channel has room for. */
    private void sendOn() {
        while (!unsent.isEmpty() && channel.isWritable()) {
            ByteBuf piece = unsent.remove(channel.alloc());
            soon(Task.FLUSH);
            channel.write(piece, channel.voidPromise());
        }
        if (state == Lifecycle.FINISHING && unsent.isEmpty()) {
            state = state.become(Lifecycle.FINISHED);
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private boolean isGone() {
        return state == Lifecycle.GONE;
    }

    private boolean isClosed() {
        return state == Lifecycle.CLOSED;
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
    public @Nullable RpcException refusal(@Nullable Bytes payload) {
        if (payload == null || payload.length() <= COPIED || isGone() || isClosed()) {
            return null;
        }
        String why = account.refusal(payload, payload.length());
        return why == null ? null : new RpcException(Errno.EAGAIN, why);
    }
}
