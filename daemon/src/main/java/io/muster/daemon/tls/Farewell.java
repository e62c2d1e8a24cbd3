package io.muster.daemon.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Closes a TCP connection so that the peer can read why. If a socket is closed while bytes of the peer are unread, the
 * kernel resets the connection, and the peer may lose what was sent last, such as an alert or an error number. So this side
 * ends its half first, drops the input that still arrives, and closes the socket when the peer has ended its half, or after
 * a short time. If many connections wait for their peers in this way, others are closed at once. Stands first in the pipeline.
 */
final class Farewell extends ChannelDuplexHandler {
    static final int MOST_WAITING = 256;
    static final long LONGEST_MILLIS = 2000;
    private static final int MOST_DROPPED = 1 << 20;

    private final AtomicInteger waiting;
    private final long longestMillis;
    private boolean leaving;
    private int dropped;

    /** @param waiting counts the connections that wait for their peers */
    Farewell(AtomicInteger waiting, long longestMillis) {
        this.waiting = waiting;
        this.longestMillis = longestMillis;
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        DuplexChannel channel = (DuplexChannel) ctx.channel();
        if (!channel.isActive() || (!leaving && waiting.get() >= MOST_WAITING)) {
            ctx.close(promise);
            return;
        }
        channel.closeFuture().addListener(closed -> promise.trySuccess());
        if (leaving) {
            return; // Netty's handler of TLS closes the channel a second time when a handshake fails
        }
        leaving = true;
        waiting.incrementAndGet();
        channel.shutdownOutput().addListener(ended -> {
            channel.config().setAutoRead(true);
            channel.read();
        });
        var timer = ctx.executor().schedule(() -> ctx.close(), longestMillis, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> {
            waiting.decrementAndGet();
            timer.cancel(false);
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
