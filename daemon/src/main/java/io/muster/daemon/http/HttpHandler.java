package io.muster.daemon.http;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the first request of a connection and then closes the connection. Everything else that the peer sends is dropped. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write needs no reaction: the deadline closes the connection
final class HttpHandler extends SimpleChannelInboundHandler<HttpObject> {
    private static final Logger LOG = LoggerFactory.getLogger(HttpHandler.class);
    private static final String PLAIN = "text/plain; charset=utf-8";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String JSON = "application/json";
    private static final String MISDIRECTED =
            "the Host header must name localhost, 127.0.0.1 or [::1], because muster.metrics is a loopback "
                    + "address: ask for http://localhost:PORT/, or set muster.metrics to an address of this host\\n";

    private final HttpEndpoint.Content content;
    private final Duration deadline;
    private @Nullable Future<?> timer;
    private boolean answered;
    private boolean writing;

    HttpHandler(HttpEndpoint.Content content, Duration deadline) {
        this.content = content;
        this.deadline = deadline;
    }

    /**
     * Returns whether nothing is lost if the connection is closed: it has no request yet, or the whole response has been
     * sent.
     */
    boolean isIdle() {
        return !writing;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        timer = ctx.executor()
                .schedule(
                        () -> {
                            ctx.close();
                        },
                        deadline.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext ctx, HttpObject message) {
        if (answered || !(message instanceof HttpRequest request)) {
            return;
        }
        answered = true;
        writing = true;
        FullHttpResponse response = answer(ctx, request);
        response.headers()
                .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE)
                .set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE)
                .setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        if (request.method().equals(HttpMethod.HEAD)) {
            response.content().clear();
        }
        // If the connection were closed with input unread, the peer would receive a reset and might lose the
        // response. So the peer closes the connection, or the deadline does.
        ctx.writeAndFlush(response).addListener(written -> {
            writing = false;
            ((SocketChannel) ctx.channel()).shutdownOutput();
        });
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("connection closed", cause);
        ctx.close();
    }

    private FullHttpResponse answer(ChannelHandlerContext ctx, HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return text(HttpResponseStatus.BAD_REQUEST, PLAIN, "bad request\n");
        }
        for (String host : request.headers().getAll(HttpHeaderNames.HOST)) {
            if (isLoopback(ctx.channel().parent().localAddress()) && !namesLoopback(host)) {
                return text(HttpResponseStatus.MISDIRECTED_REQUEST, PLAIN, MISDIRECTED);
            }
        }
        if (!request.method().equals(HttpMethod.GET) && !request.method().equals(HttpMethod.HEAD)) {
            FullHttpResponse refused = text(HttpResponseStatus.METHOD_NOT_ALLOWED, PLAIN, "only GET and HEAD\n");
            refused.headers().set(HttpHeaderNames.ALLOW, "GET, HEAD");
            return refused;
        }
        try {
            return page(new QueryStringDecoder(request.uri()).rawPath());
        } catch (RuntimeException e) {
            LOG.error("request failed uri={}", request.uri(), e);
            return text(HttpResponseStatus.INTERNAL_SERVER_ERROR, PLAIN, "internal error, see the log\n");
        }
    }

    private static boolean isLoopback(SocketAddress listener) {
        return listener instanceof InetSocketAddress address
                && address.getAddress().isLoopbackAddress();
    }

    /**
     * Returns whether the Host header of a request names this host. It does not if a web page has a browser on this host
     * send the request, by making the page's name resolve to this host (DNS rebinding): the header then has the page's name.
     * Such a page must not read the response.
     */
    private static boolean namesLoopback(String host) {
        String name = host.strip().replaceFirst(":\\d*$", "");
        InetAddress address = NetUtil.createInetAddressFromIpAddressString(name);
        return address == null ? name.equalsIgnoreCase("localhost") : address.isLoopbackAddress();
    }

    private FullHttpResponse page(String path) {
        return switch (path) {
            case "/metrics" ->
                text(HttpResponseStatus.OK, PROMETHEUS, content.metrics().get());
            case "/healthz" -> probe(content.healthz().get());
            case "/readyz" -> probe(content.readyz().get());
            default ->
                text(HttpResponseStatus.NOT_FOUND, PLAIN, "not found: the paths are /metrics, /healthz and /readyz\n");
        };
    }

    private static FullHttpResponse probe(Health health) {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("ok", health.ok());
        health.reasons().forEach(body.putArray("reasons")::add);
        if (!health.notes().isEmpty()) {
            health.notes().forEach(body.putArray("notes")::add);
        }
        HttpResponseStatus status = health.ok() ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
        return text(status, JSON, body + "\n");
    }

    private static FullHttpResponse text(HttpResponseStatus status, String type, String text) {
        ByteBuf body = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        return response;
    }
}
