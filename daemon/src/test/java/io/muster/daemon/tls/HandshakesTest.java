package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.Pem;
import io.muster.protocol.tls.Proof;
import io.muster.testing.Needs;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers between their handshake and their arrival, with threads that the test runs by hand. */
@Needs("openssl")
final class HandshakesTest implements HandshakeListener {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final Queue<Runnable> workers = new ArrayDeque<>();

    @TempDir
    private Path directory;

    @Override
    public void arrived(Channel channel, Guest guest) {
        told.add("arrived");
    }

    @Override
    public void refused(String address, String reason, String sentence) {
        told.add("refused for " + reason + ": " + sentence);
    }

    @Override
    public void revoked(Channel channel, String why) {
        told.add("revoked: " + why);
    }

    private void work() {
        for (Runnable task = workers.poll(); task != null; task = workers.poll()) {
            task.run();
        }
    }

    private static Config config(Path directory, Pki pki) throws IOException {
        Path file = directory.resolve("muster.toml");
        String grant = "san = \"ops.example.org\"\ncrl = \"" + pki.file("ca.crl") + "\"\nrights = [\"read\"]";
        Files.writeString(file, pki.config(grant));
        return Config.load(file, new Environment(Map.of(), 1000, directory, "testhost", 2));
    }

    private static Certificates certificates(Path directory, Pki pki) throws IOException {
        return new Certificates(config(directory, pki));
    }

    @Test
    void aCertificateThatIsRevokedBeforeThePeerArrivesEndsTheConnection() throws IOException {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.list("ca");
        Certificates certificates = certificates(directory, pki);
        EmbeddedChannel channel = new EmbeddedChannel();
        Handshakes handshakes = new Handshakes(certificates, channel.eventLoop(), workers::add);

        handshakes.completed(channel, Pem.certificates(pki.file("ops.pem")), this);
        work();
        pki.revoke("ca", "ops");
        pki.list("ca");
        certificates.lookAgain();
        assertThat(told).as("the peer is on its way").isEmpty();

        channel.runPendingTasks();
        work();
        assertThat(told)
                .containsExactly("arrived", "revoked: the certificate \"ops.example.org\" is refused: it was revoked");
        channel.close();
    }

    @Test
    void theExpiryOfACrlOrOfACaNotifiesListenersOnce() throws IOException {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.list("ca");
        Certificates certificates = certificates(directory, pki);
        List<Instant> changes = new ArrayList<>();
        AtomicReference<Instant> now = new AtomicReference<>();
        Instant listEnd = Instant.ofEpochSecond((long) certificates.firstEnd(Certificates.Kind.CRL))
                .plus(Authority.TOLERANCE);
        Instant end = Instant.ofEpochSecond((long) certificates.firstEnd(Certificates.Kind.CA));
        certificates.listen(() -> changes.add(Objects.requireNonNull(now.get())));
        for (Instant time : List.of(listEnd, end)) {
            for (int second : List.of(-1, 1, 2)) {
                now.set(time.plusSeconds(second));
                certificates.lookAgain(Objects.requireNonNull(now.get()));
            }
        }
        assertThat(changes).containsExactly(listEnd.plusSeconds(1), end.plusSeconds(1));
    }

    @Test
    void aCrlIsRefusedAfterItsTolerance() throws IOException {
        Pki pki = Pki.in(directory.resolve("pki"));
        DateTimeFormatter form =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
        Instant next = Instant.now().minus(Authority.TOLERANCE).minusSeconds(1);
        pki.list("ca", "-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", form.format(next));
        Certificates certificates = certificates(directory, pki);
        var chain = Pem.certificates(pki.file("ops.pem"));
        assertThatThrownBy(() -> certificates.identify(chain)).hasMessageContaining("is out of date");
    }

    @Test
    void aValidCertificateIsCheckedOnce() throws IOException {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.list("ca");
        EmbeddedChannel channel = new EmbeddedChannel();
        Handshakes handshakes = new Handshakes(certificates(directory, pki), channel.eventLoop(), workers::add);
        handshakes.completed(channel, Pem.certificates(pki.file("ops.pem")), this);
        work();
        channel.runPendingTasks();
        assertThat(workers).isEmpty();
        assertThat(told).containsExactly("arrived");
        channel.close();
    }

    /** The first message of a valid handshake. */
    private static byte[] hello(SSLContext context) throws SSLException {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(true);
        ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
        engine.wrap(ByteBuffer.allocate(0), hello);
        return Arrays.copyOf(hello.array(), hello.position());
    }

    private static InetSocketAddress serve(EventLoopGroup loop, ChannelHandler beginning) throws Exception {
        return (InetSocketAddress) new ServerBootstrap()
                .group(loop)
                .channel(EpollServerSocketChannel.class)
                .childHandler(beginning)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel()
                .localAddress();
    }

    private static Socket connect(InetSocketAddress server, byte[] bytes) throws IOException {
        Socket socket = new Socket(server.getAddress(), server.getPort());
        socket.setSoTimeout(120_000);
        socket.getOutputStream().write(bytes);
        return socket;
    }

    @Test
    void peersThatStopDuringTheHandshakeDelayNoOthersAndAreClosedAndReportedOnce() throws Exception {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.list("ca");
        Config config = config(directory, pki);
        SSLContext context = Proof.read(pki.file("ops.pem"), pki.file("ops.key"))
                .context(InsecureTrustManagerFactory.INSTANCE.getTrustManagers()[0]);
        AtomicLong ahead = new AtomicLong();
        ExecutorService worker = Executors.newSingleThreadExecutor();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        List<Socket> silent = new ArrayList<>();
        try {
            Handshakes handshakes = new Handshakes(
                    new Certificates(config), loop.next(), worker, () -> System.nanoTime() + ahead.get());
            InetSocketAddress server =
                    serve(loop, handshakes.beginning(config.addresses().get(0), true, this));
            byte[] hello = hello(context);
            byte[] half = Arrays.copyOf(hello, hello.length / 2);
            for (int i = 0; i < 50; i++) {
                silent.add(connect(server, half));
                silent.add(connect(server, hello));
            }
            try (SSLSocket honest =
                    (SSLSocket) context.getSocketFactory().createSocket(server.getAddress(), server.getPort())) {
                honest.startHandshake();
                await().atMost(Duration.ofMinutes(2)).until(() -> told.contains("arrived"));
            }
            for (int i = 1; i < silent.size(); i += 2) {
                assertThat(silent.get(i).getInputStream().read())
                        .as("a record of the handshake")
                        .isEqualTo(22);
            }
            ahead.set(Handshake.LONGEST_NANOS);
            for (int i = 0; i < silent.size(); i++) {
                byte[] rest = silent.get(i).getInputStream().readAllBytes();
                assertThat(rest.length).as("an alert").isLessThan(i % 2 == 0 ? 100 : 10_000);
            }
            assertThat(told)
                    .filteredOn(line -> line.startsWith("refused for silence: "))
                    .hasSize(100);
            assertThat(told)
                    .filteredOn("refused for silence: the peer did not complete the handshake in time"::equals)
                    .as("one line a minute")
                    .isNotEmpty()
                    .hasSizeLessThan(10);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
            loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
            worker.shutdown();
        }
    }

    /** Netty's handler of TLS closes a channel twice when a handshake fails. */
    @Test
    void aConnectionThatIsClosedLastsUntilThePeerHasReadWhy() throws Exception {
        Set<ChannelHandlerContext> strangers = new LinkedHashSet<>();
        BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        List<Socket> peers = new ArrayList<>();
        ChannelInitializer<Channel> beginning = new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new Farewell(strangers, TimeUnit.HOURS.toMillis(1)));
                accepted.add(channel);
            }
        };
        try {
            InetSocketAddress server = serve(loop, beginning);
            List<ChannelFuture> closed = new ArrayList<>();
            for (int i = 0; i < Farewell.MOST_STRANGERS; i++) {
                peers.add(connect(server, new byte[1]));
                Channel channel = accepted.take();
                assertThat(Handshakes.canSend(channel)).isTrue();
                channel.close();
                closed.add(channel.close());
            }
            for (Socket peer : peers) {
                assertThat(peer.getInputStream().read()).isEqualTo(-1);
                peer.getOutputStream().write(new byte[1000]);
            }
            loop.submit(() -> {}).sync();
            assertThat(closed).noneMatch(ChannelFuture::isDone);
            assertThat(closed).noneMatch(future -> Handshakes.canSend(future.channel()));

            peers.get(1).shutdownOutput(); // as a peer that closes the connection
            closed.get(1).sync();
            for (int i = 0; i < 2; i++) {
                assertThat(closed.get(0).isDone()).isFalse();
                peers.add(connect(server, new byte[0]));
                closed.add(accepted.take().close());
                loop.submit(() -> {}).sync();
            }
            closed.get(0).sync(); // one stranger more ends the wait for the oldest
            assertThat(closed.subList(2, closed.size())).noneMatch(ChannelFuture::isDone);

            peers.add(connect(server, new byte[1]));
            Channel unread = accepted.take();
            unread.writeAndFlush(Unpooled.wrappedBuffer(new byte[64 << 20]));
            unread.close().sync();
        } finally {
            for (Socket peer : peers) {
                peer.close();
            }
            loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }
}
