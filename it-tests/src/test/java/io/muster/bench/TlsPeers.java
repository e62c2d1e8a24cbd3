package io.muster.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.it.harness.Peer;
import io.muster.measure.Samples;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.ClientFiles;
import io.muster.protocol.tls.Proof;
import io.muster.protocol.wire.FrameDecoder;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.Message;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.IntToLongFunction;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * Many connections in TLS, all on one thread. The thread has the lowest priority, as peers on other hosts would not take the processors of
 * the daemon's host. For the same reason, most connections do not decrypt what arrives after the first response to their request: every
 * {@link #READER}th does, and says when each change arrived.
 */
final class TlsPeers implements AutoCloseable {
    private static final int READER = 100;
    private static final int LARGEST = 1 << 24;
    private static final long AGAIN_MILLIS = 100;

    private final EventLoop loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory()).next();
    private final ChannelGroup channels = new DefaultChannelGroup(loop);
    private final SSLContext context;
    private final Bootstrap bootstrap;
    private int failures;
    private long updates;

    TlsPeers(Pki pki, int port) throws IOException {
        ClientFiles files = pki.client("ops");
        context = Proof.read(files.certificate(), files.key())
                .context(InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0]);
        bootstrap = new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .remoteAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        loop.submit(TlsPeers::yieldToAll).syncUninterruptibly();
    }

    /** Gives the current thread, and no other, the lowest priority. Returns its number. */
    private static String yieldToAll() throws IOException, InterruptedException {
        String thread = String.valueOf(
                Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName());
        int status = new ProcessBuilder("renice", "-n", "19", "-p", thread)
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("renice failed with " + status);
        }
        return thread;
    }

    /** Returns how many connections were closed before the daemon welcomed them; each was then made again. */
    int failures() {
        return loop.submit(() -> failures).syncUninterruptibly().getNow();
    }

    /** Returns how many responses the connections that decrypt have received. */
    long updates() {
        return loop.submit(() -> updates).syncUninterruptibly().getNow();
    }

    /** Returns how many of the connections decrypt. */
    int readers() {
        return (channels.size() + READER - 1) / READER;
    }

    /**
     * Begins to connect.
     *
     * @return counts the connections that are not welcomed yet
     */
    CountDownLatch connect(int count) {
        CountDownLatch missing = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            boolean reads = i % READER == 0;
            connect(reads, missing);
        }
        return missing;
    }

    private void connect(boolean reads, CountDownLatch missing) {
        bootstrap
                .clone()
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        // An engine without the name of its peer takes up no earlier session: each handshake is a
                        // complete one.
                        SSLEngine engine = context.createSSLEngine();
                        engine.setUseClientMode(true);
                        SslHandler tls = new SslHandler(engine);
                        tls.setHandshakeTimeout(1, TimeUnit.MINUTES);
                        channel.pipeline().addLast(tls, new Connection(reads, missing));
                    }
                })
                .connect();
    }

    /**
     * Sends the request for an acquisition on each connection.
     *
     * @param since returns the nanoseconds since the last change of a rank
     * @param arrivals gets this number for each rank of each response after the first, on connections that decrypt
     * @return counts the connections that have no first response yet
     */
    CountDownLatch acquire(IntToLongFunction since, Samples arrivals) {
        CountDownLatch missing = new CountDownLatch(channels.size());
        loop.execute(() -> channels.forEach(
                channel -> channel.pipeline().get(Connection.class).acquire(since, arrivals, missing)));
        return missing;
    }

    /** Ends all connections. */
    void disconnect() {
        loop.submit(() -> channels.forEach(channel -> channel.pipeline().get(Connection.class).known = true))
                .syncUninterruptibly();
        channels.close().awaitUninterruptibly();
    }

    @Override
    public void close() {
        disconnect();
        loop.parent().shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** A connection. All methods run on the thread of the loop. */
    private final class Connection extends ChannelInboundHandlerAdapter {
        private final boolean reads;
        private final CountDownLatch welcome;
        private final FrameDecoder decoder = new FrameDecoder(LARGEST);
        private boolean known;
        private @Nullable Channel channel;
        private @Nullable CountDownLatch first;
        private IntConsumer later = rank -> {};

        Connection(boolean reads, CountDownLatch welcome) {
            this.reads = reads;
            this.welcome = welcome;
        }

        void acquire(IntToLongFunction since, Samples arrivals, CountDownLatch missing) {
            first = missing;
            later = rank -> arrivals.add(since.applyAsLong(rank));
            Objects.requireNonNull(channel).writeAndFlush(Unpooled.wrappedBuffer(Peer.frame(Peer.acquire(1))));
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            channel = ctx.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) throws ProtocolException {
            ByteBuf bytes = (ByteBuf) message;
            try {
                if (!known && bytes.readByte() == 0) {
                    known = true;
                    channels.add(ctx.channel());
                    welcome.countDown();
                }
                ByteBuffer plain = bytes.nioBuffer();
                for (Message each = decoder.feed(plain); each != null; each = decoder.feed(plain)) {
                    receive((Response) each);
                }
            } finally {
                bytes.release();
            }
        }

        private void receive(Response response) throws ProtocolException {
            if (response.errnum() != 0) {
                throw new IllegalStateException("a stream failed: " + response);
            } else if (first != null) {
                first.countDown();
                first = null;
                if (!reads) {
                    Objects.requireNonNull(channel).pipeline().addFirst(new Ignored());
                }
                return;
            }
            updates++;
            ObjectNode update = Json.parse(Objects.requireNonNull(response.payload()));
            for (String key : List.of("up", "down")) {
                Idset.parse(update.path(key).asText()).stream().forEach(later);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!known) {
                known = true;
                failures++;
                var unused = loop.schedule(() -> connect(reads, welcome), AGAIN_MILLIS, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (known) {
                cause.printStackTrace();
            }
            ctx.close();
        }
    }

    /** Drops all received bytes. */
    private static final class Ignored extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
        }
    }
}
