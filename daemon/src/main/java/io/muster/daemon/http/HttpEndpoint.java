package io.muster.daemon.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves {@code /metrics}, {@code /healthz} and {@code /readyz} over HTTP, on a thread of its own named {@code http}. Peers
 * may be hostile: a connection serves one request and lives at most {@link #DEADLINE}, the size of heads is limited, and
 * bodies are never read. If there are {@link #MOST_CONNECTIONS}, a new connection takes the place of the oldest idle one, so
 * that a peer that holds connections open cannot keep a probe out. No other thread of the daemon ever waits for this one.
 */
public final class HttpEndpoint implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
    static final int MOST_CONNECTIONS = 64;
    static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final HttpDecoderConfig LIMITS = new HttpDecoderConfig()
            .setMaxInitialLineLength(2048)
            .setMaxHeaderSize(8192)
            .setMaxChunkSize(8192);

    /** The suppliers of the responses' content. They are called on the thread {@code http}. */
    public record Content(Supplier<String> metrics, Supplier<Health> healthz, Supplier<Health> readyz) {}

    private final EventLoopGroup group;
    private final Channel listener;

    private HttpEndpoint(EventLoopGroup group, Channel listener) {
        this.group = group;
        this.listener = listener;
    }

    /**
     * Opens the endpoint.
     *
     * @throws IOException if the address cannot be bound; the message names the address
     */
    public static HttpEndpoint start(InetSocketAddress address, Content content) throws IOException {
        return start(address, content, DEADLINE);
    }

    static HttpEndpoint start(InetSocketAddress address, Content content, Duration deadline) throws IOException {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("http", true), NioIoHandler.newFactory());
        var bind = new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, MOST_CONNECTIONS)
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 16, 1 << 18))
                .childHandler(new Connections(content, deadline))
                .bind(address)
                .awaitUninterruptibly();
        if (!bind.isSuccess()) {
            stop(group);
            throw new IOException("cannot listen on " + shown(address) + ": " + reason(bind.cause()), bind.cause());
        }
        return new HttpEndpoint(group, bind.channel());
    }

    /** Returns the address on which the endpoint listens, with the actual port if port 0 was configured. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
        stop(group);
    }

    private static void stop(EventLoopGroup group) {
        group.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Returns the address in the form in which the configuration has it. */
    public static String shown(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private static String reason(Throwable cause) {
        return String.valueOf(cause.getMessage());
    }

    /** Accepts connections and limits their number. All methods run on the thread {@code http}, so no lock is needed. */
    private static final class Connections extends ChannelInitializer<SocketChannel> {
        private final Content content;
        private final Duration deadline;
        /** The open connections, oldest first. */
        private final Map<SocketChannel, HttpHandler> open = new LinkedHashMap<>();

        Connections(Content content, Duration deadline) {
            this.content = content;
            this.deadline = deadline;
        }

        @Override
        protected void initChannel(SocketChannel channel) {
            if (open.size() >= MOST_CONNECTIONS) {
                SocketChannel oldest = oldest();
                open.remove(oldest);
                oldest.close().addListener(closed -> LOG.debug("connection closed to make room for a later one"));
            }
            HttpHandler handler = new HttpHandler(content, deadline);
            open.put(channel, handler);
            channel.closeFuture().addListener(closed -> open.remove(channel));
            channel.pipeline().addLast(new HttpServerCodec(LIMITS), handler);
        }

        /** Returns the oldest connection that is idle; if all are busy, the oldest of all. */
        private SocketChannel oldest() {
            return open.entrySet().stream()
                    .filter(entry -> entry.getValue().isIdle())
                    .findFirst()
                    .orElseGet(() -> open.entrySet().iterator().next())
                    .getKey();
        }
    }
}
