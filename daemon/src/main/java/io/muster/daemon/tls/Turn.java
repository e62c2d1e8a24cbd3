package io.muster.daemon.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A handshake in progress. Keeps the first bytes of the peer until it is the handshake's turn, passes its computations to the workers, and
 * measures how long the peer has made this side wait; time in which the handshake waits for this side does not count. Stands before the
 * handler of TLS.
 */
final class Turn extends ChannelInboundHandlerAdapter implements Executor {
    private final Executor workers;
    private final Consumer<Turn> ready;
    /** Not more than what one read of the socket brings. */
    private final Deque<Object> first = new ArrayDeque<>();
    /** What this side has to do before the peer has to send something: computations, and one for the wait for its turn. */
    private final AtomicInteger own = new AtomicInteger();

    private @Nullable ChannelHandlerContext context;
    private boolean begun;
    private boolean computed;
    /** The time for which the peer made this side wait, except for the time after {@code since}. */
    private long waited;

    private volatile long since = System.nanoTime();

    /** @param ready called when the peer has sent its first bytes */
    Turn(Executor workers, Consumer<Turn> ready) {
        this.workers = workers;
        this.ready = ready;
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
        while (!first.isEmpty()) {
            ctx.fireChannelRead(first.remove());
        }
        ctx.fireChannelReadComplete();
        leave();
        return computed;
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

    /** Returns for how many nanoseconds this side has been waiting for the peer; 0 if it is this side that has something to do. */
    long waiting() {
        return own.get() > 0 ? 0 : System.nanoTime() - since;
    }

    /** Returns for how many nanoseconds of the whole handshake this side has been waiting for the peer. */
    long waited() {
        return waited + waiting();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        first.forEach(ReferenceCountUtil::release);
        first.clear();
    }
}
