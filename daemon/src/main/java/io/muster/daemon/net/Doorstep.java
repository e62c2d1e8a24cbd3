package io.muster.daemon.net;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Rights;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import java.io.IOException;

/**
 * Handles a peer that has connected and has not been accepted yet. Flux's handshake is one byte from the server: 0, or an
 * error number, after which the server closes the connection. Nothing is read before the handshake; what the peer sends in
 * the meantime waits in the kernel.
 */
final class Doorstep extends ChannelInboundHandlerAdapter {
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
        Identity identity = Identity.ofKernel(peer.uid(), gid(peer), peer.pid());
        socket.admit(ctx.channel(), identity, "pid=" + peer.pid(), rights -> welcome(ctx, peer.pid(), rights));
    }

    private static int gid(PeerCredentials peer) {
        int[] gids = peer.gids();
        return gids.length == 0 ? -1 : gids[0];
    }

    private void welcome(ChannelHandlerContext ctx, int pid, Rights rights) {
        Link link = socket.connection(ctx.channel(), String.valueOf(pid), rights);
        ctx.writeAndFlush(Listener.oneByte(ctx.channel(), 0), ctx.voidPromise());
        ctx.pipeline().replace(this, "connection", link);
        link.begin();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
