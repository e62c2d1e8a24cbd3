package io.muster.daemon.http;

import io.muster.daemon.access.Identity;
import io.muster.daemon.account.Account;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Limit;
import io.muster.protocol.wire.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection, which serves one request and is then closed. Everything else that the peer sends is dropped, so that no peer and no
 * proxy can mistake the end of a request.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write needs no reaction: the deadline closes the connection
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject> implements Exchange {
    private static final Logger LOG = LoggerFactory.getLogger("http");

    /** The time that the computation of a response may take, as a multiple of the deadline. */
    private static final int PATIENCE = 6;

    /** The length of the longest answer to a change or a probe for which there is always room, in bytes. */
    private static final int OWED = 1 << 16;

    private enum Phase {
        HEAD,
        BODY,
        SERVING,
        SENDING,
        SENT
    }

    private final HttpServer.Terms terms;
    private final boolean loopback;
    private final @Nullable Identity peer;
    private final Account origin;
    /** The account of the request: that of the origin until the request is known to have a right. Guarded by this object. */
    private Account payer;
    /** The account of the user, from the time when the request is known to have a right. Guarded by this object. */
    private @Nullable Account user;

    private final List<Runnable> whenGone = new ArrayList<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream(0);
    private Phase phase = Phase.HEAD;
    private @Nullable ChannelHandlerContext context;
    private @Nullable Future<?> timer;
    private @Nullable Ask ask;
    private @Nullable Chunks source;
    private boolean pumping;
    private volatile boolean gone;
    private int ticks;
    private Phase phaseBefore = Phase.HEAD;
    /** The bytes that {@link #payer} counts for this connection. Guarded by this object. */
    private long taken;

    private long written;
    /** Bytes of the response that the socket has taken, now and at the last tick. */
    private long sent;

    private long sentBefore;

    /** @param origin the account of the address, or of the user of this host, to whose share of the connections this one counts */
    HttpConnection(HttpServer.Terms terms, boolean loopback, @Nullable Identity peer, Account origin) {
        this.terms = terms;
        this.loopback = loopback;
        this.peer = peer;
        this.origin = origin;
        this.payer = origin;
    }

    Account origin() {
        return origin;
    }

    /** The body of a response, piece by piece. Used on the thread of the loop. */
    interface Chunks {
        /** Returns the next piece; null if there is none now. */
        @Nullable
        ByteBuf next();

        /** Returns whether there will be no further piece. */
        boolean isDone();

        /**
         * Called regularly.
         *
         * @param idle whether the socket has taken all pieces so far
         */
        default void tick(boolean idle) {}

        default void close() {}
    }

    /**
     * Returns whether nothing is lost if the connection is closed: it has no request yet, or the whole response has been
     * sent.
     */
    boolean isIdle() {
        return phase == Phase.HEAD || phase == Phase.BODY || phase == Phase.SENT;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        long millis = terms.deadline().toMillis();
        timer = ctx.executor().scheduleAtFixedRate(() -> guard(this::tick), millis, millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        synchronized (this) {
            gone = true;
        }
        free();
        if (timer != null) {
            timer.cancel(false);
        }
        List<Runnable> last = new ArrayList<>(whenGone);
        whenGone.clear();
        if (source != null) {
            last.add(source::close);
        }
        last.forEach(this::guard);
    }

    /** Runs a part of the connection's work. A bug closes the connection. */
    private void guard(Runnable part) {
        try {
            part.run();
        } catch (RuntimeException bug) {
            LOG.error("a bug closed the connection of {}", origin, bug);
            context().close();
        }
    }

    private void tick() {
        boolean stuck = switch (phase) {
            case HEAD, BODY, SENT -> true;
            case SERVING -> ++ticks >= PATIENCE;
            case SENDING -> sent == sentBefore && sent < written;
        };
        boolean isNew = phase != phaseBefore;
        phaseBefore = phase;
        sentBefore = sent;
        if (stuck && !isNew) {
            context().close();
        } else if (source != null) {
            source.tick(sent == written);
            pump();
        }
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(context);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        try {
            if (phase == Phase.HEAD && message instanceof HttpRequest request) {
                begin(ctx, request);
            } else if (phase == Phase.BODY && message instanceof HttpContent piece) {
                append(piece);
            }
        } catch (Refusal e) {
            answer(e.answer());
        } catch (Excess e) {
            answer(Refusal.of(e).answer());
        } catch (RuntimeException e) {
            LOG.error("a bug made a request fail", e);
            answer(new Refusal(500, "a bug made the request fail; the log shows it").answer());
        }
    }

    private void begin(ChannelHandlerContext ctx, HttpRequest request) {
        phase = Phase.BODY;
        Ask head = Head.read(request, loopback, peer).from(source(ctx.channel()));
        ask = head;
        terms.site().check(head);
        terms.site().begin(this);
        if (Head.wantsContinue(head)) {
            ctx.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
        }
    }

    static String source(Channel channel) {
        return channel.remoteAddress() instanceof InetSocketAddress address
                ? NetUtil.toAddressString(address.getAddress())
                : "local";
    }

    private void append(HttpContent piece) {
        Head.check(piece.decoderResult());
        int length = piece.content().readableBytes();
        if (content.size() + length > HttpServer.LONGEST_BODY) {
            throw Head.tooLong();
        }
        take(length);
        byte[] bytes = new byte[length];
        piece.content().readBytes(bytes);
        content.writeBytes(bytes);
        if (piece instanceof LastHttpContent) {
            phase = Phase.SERVING;
            ask = ask().with(Bytes.wrap(content.toByteArray()));
            content.reset();
            terms.site().serve(this);
        }
    }

    private void take(long bytes) {
        try {
            keep(bytes);
        } catch (Excess e) {
            throw Refusal.of(e);
        }
    }

    /**
     * Counts an answer that is never refused: that to a change, because the change would be sent again, and that to a peer without
     * rights, such as a probe, because others may use all the room of its address.
     */
    private synchronized void owe(long bytes) {
        if (!gone) {
            payer.take(bytes);
            taken += bytes;
        }
    }

    @Override
    public synchronized void keep(long bytes) {
        if (!gone) {
            payer.take(bytes, taken);
            taken += bytes;
        }
    }

    @Override
    public synchronized void charge(Account account) {
        if (gone) {
            account.end(Limit.REQUESTS);
        } else {
            try {
                account.checkRoom(taken, 0);
            } catch (Excess e) {
                account.end(Limit.REQUESTS);
                throw e;
            }
            payer.give(taken);
            account.take(taken);
            payer = account;
        }
        user = account;
    }

    @Override
    public synchronized @Nullable Account account() {
        return user;
    }

    /** Gives back everything that the request has in the account of its user. */
    private synchronized void free() {
        payer.give(taken);
        taken = 0;
        if (payer != origin) {
            payer.end(Limit.REQUESTS);
            payer = origin;
        }
    }

    @Override
    public Ask ask() {
        return Objects.requireNonNull(ask);
    }

    @Override
    public void answer(HttpAnswer answer) {
        onLoop(() -> send(answer.body().length(), answer, new Whole(answer.body())));
    }

    /** Sends an answer. Does nothing after the first answer, or if the peer has disconnected. */
    private void send(long bytes, HttpAnswer answer, Chunks chunks) {
        if (gone || phase == Phase.SENDING || phase == Phase.SENT) {
            chunks.close();
            return;
        }
        try {
            boolean isRead = ask == null || ask.isHead() || ask.method().equals("GET");
            if (bytes > OWED || (isRead && account() != null)) {
                take(bytes);
            } else {
                owe(bytes);
            }
            send(answer, chunks);
        } catch (Refusal e) {
            chunks.close();
            send(e.answer(), new Whole(e.answer().body()));
        }
    }

    @Override
    public void follow(Broadcast.Reader reader) {
        onLoop(() -> {
            send(Broadcast.BATCH, HttpAnswer.of(200, "text/event-stream", Bytes.EMPTY), reader);
            reader.open(() -> onLoop(this::pump), () -> onLoop(() -> context().close()));
        });
    }

    @Override
    public void whenGone(Runnable then) {
        onLoop(() -> {
            if (gone) {
                then.run();
            } else {
                whenGone.add(then);
            }
        });
    }

    /** Returns whether a request is served that has been charged to its user. */
    boolean isEntitled() {
        return account() != null && !isIdle();
    }

    @Override
    public boolean isGone() {
        return gone;
    }

    private void onLoop(Runnable task) {
        if (context().executor().inEventLoop()) {
            guard(task);
        } else {
            try {
                context().executor().execute(() -> guard(task));
            } catch (RejectedExecutionException stopped) {
                LOG.debug("a response comes after the end: {}", stopped.getMessage());
            }
        }
    }

    private void send(HttpAnswer answer, Chunks chunks) {
        phase = Phase.SENDING;
        terms.site().answered(ask, answer.status());
        HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(answer.status()));
        answer.headers().forEach((name, value) -> head.headers().set(name, value));
        head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        head.headers().set("x-content-type-options", "nosniff");
        if (!head.headers().contains(HttpHeaderNames.CACHE_CONTROL)) {
            head.headers().set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        }
        if (answer.status() != HttpResponseStatus.NOT_MODIFIED.code()) {
            head.headers().set(HttpHeaderNames.CONTENT_TYPE, answer.type());
        }
        if (chunks instanceof Whole && answer.status() != HttpResponseStatus.NOT_MODIFIED.code()) {
            head.headers().set(HttpHeaderNames.CONTENT_LENGTH, answer.body().length());
        }
        context().write(head);
        boolean isBodiless = ask != null && ask.isHead();
        source = isBodiless ? new Whole(Bytes.EMPTY) : chunks;
        if (isBodiless) {
            chunks.close();
        }
        pump();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pump();
    }

    /** Writes pieces until the socket takes no more. If there is no memory for a piece, only this connection is closed. */
    private void pump() {
        Chunks chunks = source;
        if (pumping || chunks == null || gone) {
            return;
        }
        pumping = true;
        try {
            if (write(chunks)) {
                source = null;
                finish();
            } else {
                context().flush();
            }
        } catch (OutOfMemoryError e) {
            LOG.warn(
                    "connection of {} closed, because there is no memory for its response: {}", origin, e.getMessage());
            context().close();
        } finally {
            pumping = false;
        }
    }

    /** Returns whether there will be no further piece. */
    private boolean write(Chunks chunks) {
        boolean done = chunks.isDone();
        while (!done && context().channel().isWritable()) {
            ByteBuf next = chunks.next();
            if (next == null) {
                break;
            }
            int length = next.readableBytes();
            written += length;
            context().writeAndFlush(new DefaultHttpContent(next)).addListener(written -> sent += length);
            done = chunks.isDone();
        }
        return done;
    }

    /**
     * Ends the response. If the connection were closed with input unread, the peer would receive a reset and might lose the response. So
     * the peer closes the connection, or the deadline does.
     */
    private void finish() {
        context().writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT).addListener(written -> {
            phase = Phase.SENT;
            free();
            if (context().pipeline().get(SslHandler.class) != null) {
                context().close(); // in TLS, this ends only this side at first
            } else if (context().channel() instanceof DuplexChannel channel) {
                channel.shutdownOutput();
            }
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection closed", cause);
        ctx.close();
    }

    /** A body that is in memory. */
    private static final class Whole implements Chunks {
        private static final int LONGEST = 1 << 16;

        private final ByteBuf rest;

        Whole(Bytes body) {
            rest = Unpooled.wrappedBuffer(body.toByteBuffers().toArray(ByteBuffer[]::new));
        }

        @Override
        public @Nullable ByteBuf next() {
            return rest.readRetainedSlice(Math.min(LONGEST, rest.readableBytes()));
        }

        @Override
        public boolean isDone() {
            return !rest.isReadable();
        }
    }
}
