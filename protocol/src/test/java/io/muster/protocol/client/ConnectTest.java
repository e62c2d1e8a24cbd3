package io.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.EOFException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ConnectTest {
    private static final Options ONCE = Options.DEFAULT.withAttempts(1, Duration.ZERO);

    @TempDir
    Path directory;

    @Test
    void theErrorForAMissingSocketNamesThePath() {
        assertThatThrownBy(() -> FluxClient.connect(uri(), ONCE))
                .isInstanceOf(ConnectException.class)
                .hasMessage("nothing listens on " + socket() + ": is muster running? There is no such socket");
    }

    @Test
    void theErrorForAStaleSocketNamesThePath() throws Exception {
        listen().close();
        assertThatThrownBy(() -> FluxClient.connect(uri(), ONCE))
                .isInstanceOf(ConnectException.class)
                .hasMessage("nothing listens on " + socket() + ": is muster running? Connection refused");
    }

    @Test
    void connectingIsRetriedWhileTheServerStarts() throws Exception {
        CountDownLatch tried = new CountDownLatch(1);
        List<ScriptedPeer> peers = new ArrayList<>();
        Thread starting = new Thread(() -> {
            try {
                tried.await();
                peers.add(ScriptedPeer.welcoming(socket(), side -> side.answer(side.read(), "{}")));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        starting.start();
        assertThatThrownBy(() -> FluxClient.connect(uri(), ONCE)).isInstanceOf(ConnectException.class);
        tried.countDown();
        Options patient = Options.DEFAULT.withAttempts(12, Duration.ofMillis(10));
        try (FluxClient client = FluxClient.connect(uri(), patient)) {
            assertThat(client.rpc("a.b", null)).isEmpty();
        }
        starting.join();
        peers.get(0).close();
    }

    @Test
    void theErrorForAFullQueueOfConnectionsNamesTheSocket() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(socket()), 1);
            Options brief = ONCE.withTimeout(Duration.ofMillis(1));
            assertThatThrownBy(() -> fillQueue(brief))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("cannot connect to " + socket() + ": ");
        }
    }

    /** Fills the queue of the socket: the test accepts no connections, so each stays in the queue after it is closed. */
    private void fillQueue(Options options) throws Exception {
        for (int i = 0; i < 10; i++) {
            try {
                FluxClient.connect(uri(), options).close();
            } catch (SocketTimeoutException e) {
                assertThat(e).hasMessage(socket() + " accepted the connection, but does not answer");
            }
        }
    }

    @Test
    void aRefusedConnectionReportsTheErrorNumberOfTheServer() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.start(socket(), side -> side.write(new byte[] {1}))) {
            assertThatThrownBy(() -> FluxClient.connect(peer.uri(), ONCE))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EPERM))
                    .hasMessage(socket() + " refused the connection: Operation not permitted");
        }
    }

    @Test
    void aConnectionThatIsClosedBeforeTheFirstByteIsAnError() throws Exception {
        try (ScriptedPeer peer = ScriptedPeer.start(socket(), side -> {})) {
            assertThatThrownBy(() -> FluxClient.connect(peer.uri(), ONCE))
                    .isInstanceOf(EOFException.class)
                    .hasMessage(socket() + " closed the connection");
        }
    }

    @Test
    void anInterruptEndsTheWaitBetweenAttempts() {
        Options patient = Options.DEFAULT.withAttempts(2, Duration.ofMinutes(10));
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> FluxClient.connect(uri(), patient)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/run/muster.sock", "local://", "tcp://host:1", "LOCAL:///x"})
    void malformedAddressesAreRefused(String uri) {
        assertThatThrownBy(() -> FluxClient.connect(uri, ONCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("socket address \"" + uri
                        + "\": expected local:///PATH, ssh://HOST[/PATH] or tls://HOST[:PORT]");
    }

    @Test
    void invalidPathsAreRefused() {
        assertThatThrownBy(() -> FluxClient.connect("local:///a\0b", ONCE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("socket path");
        String tooLong = "/" + "x".repeat(200);
        assertThatThrownBy(() -> FluxClient.connect("local://" + tooLong, ONCE))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining(tooLong);
    }

    @Test
    void invalidOptionsAreRefused() {
        assertThatThrownBy(() -> Options.DEFAULT.withTimeout(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Options.DEFAULT.withAttempts(0, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aServerThatIsNamedTwiceIsTriedOnce() {
        Servers servers = Servers.parse("tls://a,tls://a,tls://b,tls://a", null);
        assertThat(servers.inOrder()).containsExactly("tls://a", "tls://b");
        Servers alone = Servers.parse("tls://a,tls://a", null);
        alone.isSilent("tls://a");
        assertThat(alone.patience("tls://a", Duration.ZERO)).isZero();
    }

    private ServerSocketChannel listen() throws Exception {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(socket()));
        assertThat(Files.exists(socket())).isTrue();
        return listener;
    }

    private Path socket() {
        return directory.resolve("s");
    }

    private String uri() {
        return "local://" + socket();
    }
}
