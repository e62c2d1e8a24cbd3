package io.muster.daemon.tls;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A handshake in progress. Keeps the first bytes of the peer until it is the handshake's turn, and only then has the handler of TLS made,
 * which takes much memory, and adds it behind itself. Passes the computations of the handshake to the workers, and measures how long the
 * peer has made this side wait; time in which the handshake waits for this side does not count.
 */
final class Turn extends ChannelInboundHandlerAdapter implements Executor {
    private final String address;
    private final Executor workers;
    private final Function<Turn, ChannelHandler> tls;
    private final Consumer<Turn> ready;
    /** The first bytes of the peer: at most as many as one read of the socket returns. */
    private final Deque<Object> first = new ArrayDeque<>();
    /**
     * The number of steps of this side before the peer has to send something: the computations, and one for the wait for the
     * turn.
     */
    private final AtomicInteger own = new AtomicInteger();

    private @Nullable ChannelHandlerContext context;
    private boolean begun;
    private boolean computed;
    /** The time for which the peer made this side wait, except for the time after {@code since}. */
    private long waited;

    private volatile long since = System.nanoTime();

    /**
     * @param address that of the peer
     * @param tls makes the handler of TLS
     * @param ready called when the peer has sent its first bytes
     */
    Turn(String address, Executor workers, Function<Turn, ChannelHandler> tls, Consumer<Turn> ready) {
        this.address = address;
        this.workers = workers;
        this.tls = tls;
        this.ready = ready;
    }

    String address() {
        return address;
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
            ready.accept(this);
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

    /**
     * Passes the first bytes of the peer on.
     *
     * @return whether they suffice to compute something
     */
    boolean begin() {
        ChannelHandlerContext ctx = Objects.requireNonNull(context);
        begun = true;
        ctx.pipeline().addAfter(ctx.name(), null, tls.apply(this));
        while (!first.isEmpty()) {
            ctx.fireChannelRead(first.remove());
        }
        ctx.fireChannelReadComplete();
        leave();
        return computed;
    }

    /** Returns whether the peer has sent nothing yet. */
    boolean isAwaited() {
        return !begun && first.isEmpty();
    }

    /** Returns whether the handshake has had its turn. */
    boolean isBegun() {
        return begun;
    }

    /** Computes a part of the handshake. */
    @Override
    public void execute(Runnable part) {
        computed = true;
        enter();
        workers.execute(() -> {
            try {
                part.run();
            } finally {
                leave();
            }
        });
    }

    private void enter() {
        if (own.getAndIncrement() == 0) {
            waited += System.nanoTime() - since;
        }
    }

    private void leave() {
        since = System.nanoTime();
        own.decrementAndGet();
    }

    /** Returns for how many nanoseconds this side has been waiting for the peer; 0 if this side has something to do. */
    long waiting() {
        return own.get() > 0 ? 0 : System.nanoTime() - since;
    }

    /** Returns for how many nanoseconds this side has been waiting for the first bytes of the peer, or since then for all others. */
    long waited() {
        return waited + waiting();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        first.forEach(ReferenceCountUtil::release);
        first.clear();
    }
}
