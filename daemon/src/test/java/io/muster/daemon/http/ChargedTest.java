package io.muster.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.daemon.account.Account;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The account in which a request counts: that of its user as early as possible, and no longer that of the address. */
@Timeout(300)
final class ChargedTest {
    private static final int MOST = 400_000;
    private static final int LONG = 10_000;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final AccountBook accounts = new AccountBook(MOST, System::nanoTime);
    private final Account user = accounts.account(Kind.USER, "ada");
    private final CompletableFuture<Exchange> served = new CompletableFuture<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Site site = new Site() {
            @Override
            public void check(Ask head) {}

            @Override
            public void begin(Exchange exchange) {
                if (exchange.ask().path().equals("/early")) {
                    exchange.charge(accounts.begin(Kind.USER, "ada", Limit.REQUESTS, 100, "requests"));
                }
            }

            @Override
            public void serve(Exchange exchange) {
                if (exchange.ask().path().equals("/late")) {
                    exchange.charge(accounts.begin(Kind.USER, "ada", Limit.REQUESTS, 100, "requests"));
                }
                if (exchange.ask().body().length() > 0) {
                    user.take(MOST);
                }
                if (!exchange.ask().path().equals("/never")) {
                    exchange.answer(HttpAnswer.text(200, "text/plain", "x".repeat(LONG)));
                }
                served.complete(exchange);
            }
        };
        HttpServer.Terms terms = new HttpServer.Terms(site, 8, Duration.ofHours(1), accounts);
        server = HttpServer.start(loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), terms);
    }

    @AfterEach
    void close() {
        server.close();
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Socket send(String request) throws IOException {
        Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort());
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String answer(String request) throws IOException {
        try (Socket socket = send(request)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    private static String post(String path, int length, int sent) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n\r\n"
                + "x".repeat(sent);
    }

    private static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }

    @Test
    void aBodyThatIsNotCompleteCountsForTheUserAndNotForTheAddress() throws IOException {
        try (Socket socket = send(post("/early", 30_000, 20_000))) {
            await().atMost(Duration.ofMinutes(2)).until(() -> accounts.held(false) + accounts.held(true) == 20_000);
            assertThat(user.held()).isEqualTo(20_000);
            assertThat(socket.isConnected()).isTrue();
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> user.held() == 0 && user.count(Limit.REQUESTS) == 0);
    }

    @Test
    void aBodyForWhichTheUserHasNoRoomIsRefusedWhenTheUserIsKnown() throws IOException {
        user.take(MOST);
        assertThat(answer(post("/late", LONG, LONG))).startsWith("HTTP/1.1 429 ");
        assertThat(user.count(Limit.REQUESTS)).isZero();
        assertThat(user.held()).isEqualTo(MOST);
    }

    /** The change is made: a client that got 429 would send it again. */
    @Test
    void theAnswerToAChangeIsSentAlthoughTheUserIsPastTheLimitByThen() throws IOException {
        assertThat(answer(post("/early", LONG, LONG))).startsWith("HTTP/1.1 200 ");
        assertThat(user.held()).isGreaterThanOrEqualTo(MOST);
        assertThat(answer(get("/early"))).startsWith("HTTP/1.1 429 ");
    }

    @Test
    void anAddressWithoutRoomGetsProbes() throws IOException {
        accounts.account(Kind.STRANGER, "127.0.0.1").take(MOST);
        assertThat(answer(get("/probe"))).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void aRequestBelongsToItsUserAlsoAfterTheConnectionIsClosed() throws Exception {
        Exchange exchange;
        try (Socket socket = send(get("/never"))) {
            exchange = served.get(2, TimeUnit.MINUTES);
            assertThat(exchange.account()).isNull();
            exchange.charge(accounts.begin(Kind.USER, "ada", Limit.REQUESTS, 100, "requests"));
            assertThat(socket.isConnected()).isTrue();
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> user.count(Limit.REQUESTS) == 0);
        assertThat(exchange.isGone()).isTrue();
        assertThat(exchange.account()).isSameAs(user);
    }
}
