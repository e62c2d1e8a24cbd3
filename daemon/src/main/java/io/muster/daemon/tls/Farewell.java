package io.muster.daemon.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Closes a TCP connection so that the peer can read why. If a socket is closed while bytes of the peer are unread, the
 * kernel resets the connection, and the peer may lose what was sent last, such as an alert or an error number. So this side
 * ends its half first, drops the input that still arrives, and closes the socket when the peer has ended its half, or after
 * a short time. A peer that does not read is not waited for. Stands first in the pipeline.
 */
final class Farewell extends ChannelDuplexHandler {
    /** The number of strangers that are waited for. For each one more, the wait for another one ends. */
    static final int MOST_STRANGERS = 256;

    static final long LONGEST_MILLIS = 2000;
    private static final int MOST_DROPPED = 1 << 20;

    private final Set<ChannelHandlerContext> strangers;
    private final long longestMillis;
    private boolean leaving;
    private int dropped;

    /** @param strangers the connections without a complete handshake that wait for their peers, the oldest first */
    Farewell(Set<ChannelHandlerContext> strangers, long longestMillis) {
        this.strangers = strangers;
        this.longestMillis = longestMillis;
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        DuplexChannel channel = (DuplexChannel) ctx.channel();
        if (!channel.isActive() || !readsAll(channel)) {
            ctx.close(promise);
            return;
        }
        channel.closeFuture().addListener(closed -> promise.trySuccess());
        if (leaving) {
            return; // Netty's handler of TLS closes the channel a second time when a handshake fails
        }
        leaving = true;
        if (isStranger(channel)) {
            if (strangers.size() >= MOST_STRANGERS) {
                strangers.iterator().next().close(); // which removes it
            }
            strangers.add(ctx);
        }
        channel.shutdownOutput().addListener(ended -> {
            channel.config().setAutoRead(true);
            channel.read();
        });
        var timer = ctx.executor().schedule(() -> ctx.close(), longestMillis, TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(closed -> {
            strangers.remove(ctx);
            timer.cancel(false);
        });
    }

    /** Returns whether the peer has read so much that the kernel has taken all that this side has sent. */
    private static boolean readsAll(Channel channel) {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        return unsent == null || unsent.isEmpty(); // null: this side has ended its half
    }

    private static boolean isStranger(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        return tls == null || !tls.handshakeFuture().isSuccess();
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
