package io.muster.daemon.net;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.Holding;
import io.muster.daemon.service.Outbox;
import io.muster.daemon.service.Session;
import io.muster.daemon.service.Tracer;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.FrameDecoder;
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
import io.netty.util.concurrent.EventExecutor;
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
 * The connection of one peer: reads its requests, has them served by a {@link Session}, and writes the responses. All
 * methods run on the core thread.
 *
 * <p>A client may send all its requests before it reads the first response; libflux does, and blocks in write(2) until they
 * are sent. Therefore the connection continues to read even if its peer does not: requests wait in a {@link Backlog},
 * undecoded, and a response is computed when there is room for it in the socket's buffer. So the memory for a peer is that
 * of one response and of the peer's waiting requests, regardless of the requests that it sends. The {@link Account} of the
 * user limits what all connections of the user cost: when memory becomes tight, a request loses its payload and is responded
 * to with EAGAIN when its turn comes; when the memory is used up, the connection is closed.
 *
 * <p>The connection stops reading only if the peer reads its responses and has requests waiting: for their turn, for the
 * response to a query, or for the disk. In this case the peer waits for the daemon, so one of the two sides can always
 * continue.
 */
final class Link extends ChannelInboundHandlerAdapter implements Outbox, Holding.Holder {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private static final int RESUME_PENDING = 2048;

    /** How many requests are served before other connections have their turn: about as many as are read at once. */
    static final int TURN = 128;

    private static final String NO_ROOM =
            "not done: too many requests of this connection wait, because it does not read the answers; read "
                    + "answers while you send requests, and send this request again";

    /**
     * Work that the handler does later, in a task of its own. A failure in such a task closes the connection, as a failure
     * anywhere else does.
     */
    private enum Task {
        FLUSH,
        /** Resumes the streams, because the peer reads again. */
        RESUME,
        SERVE
    }

    private final String peer;
    private final FrameDecoder decoder;
    private final Session session;
    private final Tracer trace;
    private final Terms terms;
    private final Reads reads;
    private final Channel channel;
    private final Holding memory;

    private final Backlog backlog = new Backlog();
    /**
     * The fault in the bytes after the waiting requests; null if there is none. The connection is closed for it after these
     * requests have been served.
     */
    private @Nullable String fault;

    private final Outgoing outgoing;

    private final ProgressLimits deadlines = new ProgressLimits();
    private final Set<Task> due = EnumSet.noneOf(Task.class);
    private int pending;
    private long received;
    private Lifecycle state = Lifecycle.OPEN;
    /** Whether {@link #serve} is running, which must not be called from within itself. */
    private boolean serving;

    /**
     * The limits of a connection, and the objects that it shares with others.
     *
     * @param maxFrame the highest number of bytes in one message
     * @param account the account of the peer
     * @param stopping whether the daemon stops, so that no more requests are served
     * @param core the thread that serves the peer
     */
    record Terms(int maxFrame, Account account, BooleanSupplier stopping, EventExecutor core) {}

    Link(Channel channel, String peer, Terms terms, Tracer trace, Function<Outbox, Session> session) {
        this.channel = channel;
        this.peer = peer;
        this.decoder = new FrameDecoder(terms.maxFrame);
        this.trace = trace;
        this.terms = terms;
        this.reads = new Reads(channel, terms.core);
        this.session = session.apply(this);
        this.memory = terms.account.open(this);
        this.outgoing = new Outgoing(channel, memory);
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
        if (isWritable() || !memory.isTight()) {
            backlog.add(body, false);
        } else if (memory.isFull()) {
            closeNow("the peer does not read its answers, and its " + backlog.size() + " waiting requests take "
                    + (backlog.bytes() >> 10) + " KiB, which is the limit");
        } else {
            keepWithoutRoom(FrameDecoder.read(body), body);
        }
    }

    /**
     * Adds a request for which there is no room. A request without a response keeps its content, because it may cancel a
     * waiting request or be a change; any other request is kept without its payload, to be refused when its turn comes.
     */
    private void keepWithoutRoom(Message message, byte[] body) {
        if (!(message instanceof Request request)) {
            return;
        }
        boolean refused = Session.isAnswered(request);
        if (refused && request.payload() != null) {
            backlog.add(decoder.encoder().encodeBody(request.withoutPayload()), true);
        } else {
            backlog.add(body, refused);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        channel.flush();
        reads.completed();
    }

    /** Begins to read. */
    void begin() {
        read();
    }

    private boolean mayServe() {
        boolean goesOn = !isClosed() && !terms.stopping.getAsBoolean();
        return goesOn && (isGone() || isWritable()) && pending < MOST_PENDING && !backlog.isEmpty();
    }

    /**
     * Serves waiting requests, as long as the peer reads its responses and its turn lasts. A request may close the
     * connection.
     */
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
            closeNow(String.valueOf(e.getMessage()));
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
            closeNow(fault);
        } else if (isGone() && (none || terms.stopping.getAsBoolean())) {
            release();
        } else {
            if (mayServe()) {
                soon(Task.SERVE);
            }
            read();
            memory.update();
        }
    }

    private boolean mayRead() {
        return !isGone() && fault == null && !terms.stopping.getAsBoolean() && (backlog.isEmpty() || !isWritable());
    }

    private void read() {
        if (!isGone()) {
            reads.want(mayRead());
        }
    }

    /** Stops reading from the peer, because the daemon stops. */
    void stopServing() {
        read();
    }

    // ---- tasks

    /**
     * Schedules work after Netty's buffer has become full or empty again. Netty may call this from within a write, so
     * nothing is written here: that would recurse, once for each 64 KB that is sent.
     */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        soon(channel.isWritable() ? Task.RESUME : Task.FLUSH);
    }

    private void soon(Task task) {
        if (!due.add(task)) {
            return;
        }
        if (task == Task.SERVE) { // unlike execute, schedule lets the event loop look at other sockets first
            var unused = terms.core.schedule(() -> run(task), 0, TimeUnit.NANOSECONDS);
        } else {
            terms.core.execute(() -> run(task));
        }
    }

    private void run(Task task) {
        try {
            carryOut(task);
        } catch (RuntimeException | Error bug) {
            fail(bug);
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
            memory.update();
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
            soon(tooMany && pending <= RESUME_PENDING ? Task.SERVE : Task.FLUSH); // each task also updates the memory
        }
    }

    // ---- the end

    /**
     * Called when the peer has closed the connection. Changes that the peer requested before are still made, although no
     * client reads the responses. Other requests have no effect any more.
     */
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
            channel.close();
        } else {
            fail(cause);
        }
    }

    private void fail(Throwable bug) {
        log.error("peer={} a bug closed the connection", peer, bug);
        release();
        channel.close();
    }

    /** Payloads that are shared with other peers are not counted. */
    @Override
    public long holds() {
        return decoder.held() + backlog.bytes() + outgoing.own();
    }

    @Override
    public long taken() {
        return session.keeps();
    }

    /** The waiting requests of a peer that does not read are limited when they arrive, see {@link #keep}. */
    @Override
    public long unserved() {
        return decoder.held() + (isWritable() ? backlog.bytes() : 0);
    }

    /** Closes the connection if it makes no progress. Must be called every few seconds. */
    void sweep(long nanos) {
        boolean unread = !isWritable() && (session.mustRead() || !backlog.isEmpty());
        String why = deadlines.inMessage(mayRead() && decoder.isInsideFrame(), received, nanos);
        if (why == null) {
            why = deadlines.unread(unread, outgoing.bytes(), nanos);
        }
        if (why != null) {
            closeNow(why);
        }
    }

    /** Closes the connection as soon as the peer has read everything that was sent. */
    void finish() {
        if (state == Lifecycle.OPEN) {
            state = state.become(Lifecycle.FINISHING);
            sendOn();
        }
    }

    @Override
    public void closeNow(String why) {
        if (isClosed()) {
            return;
        }
        if (terms.account.mayLog()) {
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
            outgoing.clear();
            memory.close();
            try {
                session.close();
            } catch (RuntimeException bug) { // the connection is closed all the same
                log.error("peer={} a bug made the end of the session fail", peer, bug);
            }
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
            outgoing.write(response, decoder.encoder());
            sendOn();
            // This task updates the memory. An update may close any connection, which the caller may not expect now.
            soon(Task.FLUSH);
        } catch (OutOfMemoryError e) { // Netty limits its memory outside the heap
            terms.core.execute(() -> closeNow("there is no memory for an answer: " + e.getMessage()));
        }
    }

    private void sendOn() {
        if (outgoing.sendOn()) {
            soon(Task.FLUSH);
        }
        if (state == Lifecycle.FINISHING && outgoing.isEmpty()) {
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

    @Override
    public boolean isWritable() {
        return outgoing.isEmpty() && channel.isWritable();
    }

    @Override
    public @Nullable RpcException refusal(@Nullable Bytes payload) {
        return isGone() || isClosed() ? null : outgoing.refusal(payload);
    }
}
