package io.muster.daemon.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a TCP connection so that the peer can read why. If a socket is closed while bytes of the peer are unread, the
 * kernel resets the connection, and the peer may lose what was sent last, such as an alert or an error number. So this side
 * ends its half first, drops the input that still arrives, and closes the socket when the peer has ended its half, or after
 * a short time. Stands first in the pipeline.
 */
final class Farewell extends ChannelDuplexHandler {
    static final long LONGEST_MILLIS = 2000;
    private static final int MOST_DROPPED = 1 << 20;

    private boolean leaving;
    private int dropped;

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        if (leaving || !ctx.channel().isActive()) {
            ctx.close(promise);
            return;
        }
        leaving = true;
        DuplexChannel channel = (DuplexChannel) ctx.channel();
        channel.shutdownOutput().addListener(ended -> {
            channel.config().setAutoRead(true);
            channel.read();
        });
        var timer = ctx.executor().schedule(() -> ctx.close(), LONGEST_MILLIS, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener((ChannelFutureListener) closed -> {
            timer.cancel(false);
            promise.trySuccess();
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (!leaving) {
            ctx.fireChannelRead(message);
            return;
        }
        dropped += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        ReferenceCountUtil.release(message);
        if (dropped > MOST_DROPPED) {
            ctx.close();
        }
    }
}
