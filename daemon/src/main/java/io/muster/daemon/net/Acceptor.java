package io.muster.daemon.net;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles failures to accept a connection on a listening socket, which mean that the process has no more file descriptors.
 * The acceptor leaves connections in the kernel's queue for a while and then tries again. It logs once that connections
 * cannot be accepted, and once that they are accepted again.
 */
final class Acceptor extends ChannelInboundHandlerAdapter {
    static final long PAUSE_MILLIS = 500;
    private static final Logger log = LoggerFactory.getLogger("peer");

    private final String socket;
    private boolean failing;

    Acceptor(String socket) {
        this.socket = socket;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object peer) {
        if (failing) {
            failing = false;
            log.info("connections are accepted again socket={}", socket);
        }
        ctx.fireChannelRead(peer);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!failing) {
            failing = true;
            log.error("connections cannot be accepted and have to wait socket={}: {}", socket, cause.getMessage());
        }
        ctx.channel().config().setAutoRead(false);
        ctx.executor().schedule(() -> ctx.channel().config().setAutoRead(true), PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
}
