package io.muster.daemon.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** Waits for the end of a handshake, and keeps what the peer sends right after it until the listener is ready. */
final class Arrival extends ChannelInboundHandlerAdapter {
    private final Handshakes handshakes;
    private final HandshakeListener listener;
    /** The data that arrived early: at most as much as one read of the socket returns. */
    private final Deque<Object> early = new ArrayDeque<>();

    private String address = "unknown";
    private boolean isRefused;

    Arrival(Handshakes handshakes, HandshakeListener listener) {
        this.handshakes = handshakes;
        this.listener = listener;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        address = Handshakes.address(ctx.channel().remoteAddress());
        ctx.read();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof SslHandshakeCompletionEvent end)) {
            ctx.fireUserEventTriggered(event);
        } else if (end.isSuccess()) {
            handshakes.completed(ctx.channel(), chain(ctx), listener);
        } else {
            refused(end.cause());
            handshakes.end(ctx.channel());
        }
    }

    private static List<X509Certificate> chain(ChannelHandlerContext ctx) {
        List<X509Certificate> chain = new ArrayList<>();
        try {
            SslHandler tls = ctx.pipeline().get(SslHandler.class);
            for (Certificate certificate : tls.engine().getSession().getPeerCertificates()) {
                chain.add((X509Certificate) certificate);
            }
        } catch (SSLPeerUnverifiedException none) {
            // The peer showed no certificate, and the listener permits that.
        }
        return chain;
    }

    private void refused(Throwable cause) {
        if (isRefused) {
            return; // the handler of TLS reports a failure again when the connection ends
        }
        isRefused = true;
        CertificateException certificate = certificateFault(cause);
        if (certificate != null) {
            listener.refused(address, "certificate", String.valueOf(certificate.getMessage()));
        } else if (cause instanceof TimeoutException) {
            listener.refused(address, "silence", handshakes.late(address));
        } else {
            listener.refused(address, "handshake", sentence(cause));
        }
    }

    private static @Nullable CertificateException certificateFault(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof CertificateException found) {
                return found;
            }
        }
        return null;
    }

    private static String sentence(Throwable cause) {
        if (cause instanceof NotSslRecordException) {
            return "the peer does not speak TLS";
        }
        return cause instanceof ClosedChannelException
                ? "the peer closed the connection during the handshake"
                : "the handshake failed: " + cause.getMessage();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        early.add(message);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        boolean any = !early.isEmpty();
        while (!early.isEmpty()) {
            ctx.fireChannelRead(early.remove());
        }
        if (any) {
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (ctx.pipeline().get(SslHandler.class) == null) {
            refused(new ClosedChannelException()); // the peer has sent nothing, or its turn has not come
        }
        early.forEach(ReferenceCountUtil::release);
        early.clear();
        ctx.fireChannelInactive();
    }

    /** Closes the connection: the reason was already reported at the end of the handshake. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
