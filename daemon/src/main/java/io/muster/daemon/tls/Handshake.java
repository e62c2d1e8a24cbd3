package io.muster.daemon.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A handshake that is not complete. Keeps the first bytes of the peer until the handshake begins, and only then has the handler of TLS
 * made, which takes much memory, and adds it behind itself. Passes the computations of the handshake to the workers, and measures how
 * long the peer has made this side wait; time in which the handshake waits for this side does not count.
 */
final class Handshake extends ChannelInboundHandlerAdapter implements Executor {
    /** How long the peer may let this side wait for its first bytes, and then for all others. */
    static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final String address;
    private final Executor workers;
    private final Function<Handshake, ChannelHandler> tls;
    private final Runnable changed;
    private final LongSupplier nanos;
    /** The first bytes of the peer: at most as many as one read of the socket returns. */
    private final Deque<Object> first = new ArrayDeque<>();
    /** The number of steps of this side before the peer has to send something: the computations, and one until the handshake begins. */
    private final AtomicInteger own = new AtomicInteger();

    private @Nullable ChannelHandlerContext context;
    private boolean begun;
    /** The time for which the peer made this side wait, except for the time after {@code since}. */
    private long waited;

    private volatile long since;

    /**
     * @param address that of the peer
     * @param tls makes the handler of TLS
     * @param changed called on the thread of the channel when the peer has sent its first bytes, and on a worker after each computation
     * @param nanos a monotonic clock in nanoseconds
     */
    Handshake(
            String address,
            Executor workers,
            Function<Handshake, ChannelHandler> tls,
            Runnable changed,
            LongSupplier nanos) {
        this.address = address;
        this.workers = workers;
        this.tls = tls;
        this.changed = changed;
        this.nanos = nanos;
        this.since = nanos.getAsLong();
    }

    String address() {
        return address;
    }

    Channel channel() {
        return Objects.requireNonNull(context).channel();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (begun) {
            ctx.fireChannelRead(message);
            return;
        }
        first.add(message);
        if (first.size() == 1) {
            enter();
            waited = 0;
            changed.run();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (begun) {
            ctx.fireChannelReadComplete();
        } else if (first.isEmpty()) {
            ctx.read();
        }
    }

    /** Passes the first bytes of the peer on. */
    void begin() {
        ChannelHandlerContext ctx = Objects.requireNonNull(context);
        begun = true;
        ctx.pipeline().addAfter(ctx.name(), null, tls.apply(this));
        while (!first.isEmpty()) {
            ctx.fireChannelRead(first.remove());
        }
        ctx.fireChannelReadComplete();
        leave();
    }

    /** Returns whether the peer has sent its first bytes, and the handshake has not begun. */
    boolean isWaiting() {
        return !begun && !first.isEmpty();
    }

    boolean isBegun() {
        return begun;
    }

    /** Returns whether this side has something to do, and not the peer. */
    boolean isOwn() {
        return own.get() > 0;
    }

    /** Computes a part of the handshake. */
    @Override
    public void execute(Runnable part) {
        enter();
        workers.execute(() -> {
            try {
                part.run();
            } finally {
                leave();
                changed.run();
            }
        });
    }

    private void enter() {
        if (own.getAndIncrement() == 0) {
            waited += nanos.getAsLong() - since;
        }
    }

    private void leave() {
        since = nanos.getAsLong();
        own.decrementAndGet();
    }

    /** Returns for how many nanoseconds this side has been waiting for the peer; 0 if this side has something to do. */
    long silent() {
        return isOwn() ? 0 : nanos.getAsLong() - since;
    }

    /** Returns whether the peer has made this side wait for as long as a peer may. */
    boolean isLate() {
        return waited + silent() >= LONGEST_NANOS;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        first.forEach(ReferenceCountUtil::release);
        first.clear();
    }
}
