package io.muster.daemon.net;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.muster.protocol.rpc.Errno;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles a peer that has connected and has not been accepted yet. Flux's handshake is one byte from the server: 0, or an
 * error number, after which the server closes the connection. Nothing is read before the handshake; what the peer sends in
 * the meantime waits in the kernel.
 */
final class Doorstep extends ChannelInboundHandlerAdapter {
    private static final Logger log = LoggerFactory.getLogger("peer");

    private final PeerSocket socket;

    Doorstep(PeerSocket socket) {
        this.socket = socket;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ctx.channel().config().setAutoRead(false);
    }

    /**
     * Begins the handshake. This happens here and not earlier: before the channel is active, a peer that has already closed
     * its end would look like a failure of the daemon and be logged.
     */
    @Override
    public void channelActive(ChannelHandlerContext ctx) throws IOException {
        PeerCredentials peer = ((EpollDomainSocketChannel) ctx.channel()).peerCredentials();
        if (socket.gate().isFull()) {
            refuse(ctx, Errno.EAGAIN, "full");
            return;
        }
        socket.enter(ctx.channel());
        Identity identity = Identity.ofKernel(peer.uid(), gid(peer), peer.pid());
        socket.gate().rights(identity, rights -> decide(ctx, identity, rights));
    }

    private static int gid(PeerCredentials peer) {
        int[] gids = peer.gids();
        return gids.length == 0 ? -1 : gids[0];
    }

    private void decide(ChannelHandlerContext ctx, Identity identity, @Nullable Rights rights) {
        if (rights == null) {
            if (socket.gate().admissions().budget().take(identity)) {
                log.info("refused {} pid={}: guests are not allowed", identity.who(), identity.pid());
            }
            refuse(ctx, Errno.EPERM, "denied");
        } else if (ctx.channel().isActive() && !socket.gate().seat(ctx.channel(), rights)) {
            refuse(ctx, Errno.EAGAIN, "full");
        } else if (ctx.channel().isActive()) {
            ctx.writeAndFlush(oneByte(ctx, 0), ctx.voidPromise());
            ctx.pipeline().replace(this, "connection", socket.connection(ctx.channel(), rights));
            ctx.channel().config().setAutoRead(true);
        }
    }

    private void refuse(ChannelHandlerContext ctx, Errno errno, String reason) {
        socket.refused(reason);
        ctx.writeAndFlush(oneByte(ctx, errno.value())).addListener(ChannelFutureListener.CLOSE);
    }

    private static ByteBuf oneByte(ChannelHandlerContext ctx, int value) {
        return ctx.alloc().buffer(1).writeByte(value);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
