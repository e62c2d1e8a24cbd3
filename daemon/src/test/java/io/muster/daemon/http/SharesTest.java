package io.muster.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The choice of the connections to close if there are too many. Each request has a different path, and the site answers none of them. */
@Timeout(300)
final class SharesTest {
    private static final int MOST = 8;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Map<String, Exchange> asked = new ConcurrentHashMap<>();
    private final List<Socket> sockets = new ArrayList<>();
    private final AccountBook accounts = new AccountBook(1L << 40, System::nanoTime);
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Site site = new Site() {
            @Override
            public void check(Ask head) {}

            @Override
            public void serve(Exchange exchange) {
                if (exchange.ask().path().startsWith("/user")) {
                    exchange.charge(accounts.begin(Kind.USER, "ada", Limit.REQUESTS, 100, "requests"));
                }
                asked.put(exchange.ask().path(), exchange);
            }
        };
        HttpServer.Terms terms = new HttpServer.Terms(site, MOST, Duration.ofHours(1), accounts);
        server = HttpServer.start(loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), terms);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Socket connect(String address) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(server.address());
        return socket;
    }

    private void send(String address, String path) throws IOException {
        connect(address)
                .getOutputStream()
                .write(("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        await().atMost(Duration.ofMinutes(1))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> asked.containsKey(path));
    }

    private boolean isOpen(String path) {
        return !Objects.requireNonNull(asked.get(path)).isGone();
    }

    @Test
    void onlyTheAddressWithTheMostConnectionsLosesConnections() throws IOException {
        send("127.0.0.2", "/other");
        for (int i = 0; i < 3 * MOST; i++) {
            send("127.0.0.3", "/stranger" + i);
        }
        assertThat(isOpen("/other")).as("the oldest of all").isTrue();
        assertThat(isOpen("/stranger0")).isFalse();
        assertThat(isOpen("/stranger" + (3 * MOST - 1))).isTrue();
    }

    @Test
    void aRequestOfAUserWithARightIsNotClosedForOthersAtTheSameAddress() throws IOException {
        send("127.0.0.2", "/user");
        for (int i = 0; i < 3 * MOST; i++) {
            send("127.0.0.2", "/stranger" + i);
        }
        assertThat(isOpen("/user")).isTrue();
    }

    @Test
    void oneAddressCannotUseAllConnectionsEvenWithRights() throws IOException {
        for (int i = 0; i < MOST - 1; i++) {
            send("127.0.0.2", "/user" + i);
        }
        List<String> lines = new CopyOnWriteArrayList<>();
        accounts.onRefusal((limit, line) -> lines.add(limit + " " + line));
        assertThat(connect("127.0.0.2").getInputStream().read()).as("refused").isEqualTo(-1);
        assertThat(lines)
                .singleElement()
                .asString()
                .startsWith(
                        "CONNECTIONS a socket for HTTP is past a limit, which is logged once a minute: connection of"
                                + " 127.0.0.2 closed");
        send("127.0.0.3", "/probe0");
        send("127.0.0.4", "/probe1");
        assertThat(isOpen("/probe0")).as("made room").isFalse();
        for (int i = 0; i < MOST - 1; i++) {
            assertThat(isOpen("/user" + i)).isTrue();
        }
    }
}
