package io.muster.daemon.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.RejectedExecutionException;

/** Passes the events of a channel that another thread serves to the connection, which is on the core thread. */
final class Hop extends ChannelInboundHandlerAdapter {
    private final Link link;
    private final EventExecutor core;
    /** Whether the connection was closed because its channel is closed. Used on the channel's thread. */
    private boolean told;

    Hop(Link link, EventExecutor core) {
        this.link = link;
        this.core = core;
    }

    private void pass(ChannelHandlerContext ctx, Runnable event) {
        core.execute(() -> {
            try {
                event.run();
            } catch (RuntimeException | Error bug) {
                link.exceptionCaught(ctx, bug);
            }
        });
    }

    /** Closes the connection of a channel that was closed before this handler was added: Netty sends no event about that any more. */
    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (!ctx.channel().isActive()) {
            channelInactive(ctx);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        try {
            pass(ctx, () -> link.channelRead(ctx, message));
        } catch (RejectedExecutionException stopped) {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        pass(ctx, () -> link.channelReadComplete(ctx));
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        pass(ctx, () -> link.channelWritabilityChanged(ctx));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!told) {
            told = true;
            pass(ctx, () -> link.channelInactive(ctx));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        pass(ctx, () -> link.exceptionCaught(ctx, cause));
    }
}
