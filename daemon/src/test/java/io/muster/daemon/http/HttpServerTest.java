package io.muster.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.account.AccountBook;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Kind;
import io.muster.daemon.account.Limit;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class HttpServerTest {
    private static final int MOST_CONNECTIONS = 64;
    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private volatile Health ready = Health.OK;
    private volatile String metrics = "muster_nodes 3\n";
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private HttpServer endpoint = start(HttpServer.DEADLINE);

    private HttpServer start(Duration deadline) {
        return start(ANY_PORT, deadline);
    }

    private HttpServer start(InetSocketAddress address, Duration deadline) {
        try {
            return HttpServer.start(loop, address, terms(deadline));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HttpServer.Terms terms(Duration deadline) {
        Probes probes = new Probes(this::scrape, () -> Health.OK, () -> ready, () -> Health.OK);
        return new HttpServer.Terms(probes, MOST_CONNECTIONS, deadline, new AccountBook(1L << 40, System::nanoTime));
    }

    @Test
    void metricsAreRenderedOnASeparateThreadAndDoNotDelayProbes() throws Exception {
        List<Runnable> thread = new CopyOnWriteArrayList<>();
        Probes probes = new Probes(this::scrape, () -> Health.OK, () -> ready, () -> Health.OK);
        Site site = probes.rendering(thread::add);
        try (HttpServer server = HttpServer.start(
                        loop,
                        ANY_PORT,
                        new HttpServer.Terms(
                                site, 4, HttpServer.DEADLINE, new AccountBook(1L << 40, System::nanoTime)));
                Socket scrape = new Socket(
                        server.address().getAddress(), server.address().getPort());
                Socket probe = new Socket(
                        server.address().getAddress(), server.address().getPort())) {
            scrape.getOutputStream().write("GET /metrics HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            while (thread.isEmpty()) {
                Thread.onSpinWait();
            }
            probe.getOutputStream().write("GET /healthz HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .contains("200 OK");
            thread.get(0).run();
            assertThat(new String(scrape.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .endsWith(metrics);
        }
    }

    @Test
    void memoryOfARequestCountsUntilItsConnectionEnds() throws Exception {
        AccountBook accounts = new AccountBook(400_000, System::nanoTime);
        List<Boolean> kept = new CopyOnWriteArrayList<>();
        CompletableFuture<Exchange> late = new CompletableFuture<>();
        Site site = new Site() {
            @Override
            public void check(Ask head) {}

            @Override
            public void serve(Exchange exchange) {
                for (int bytes : new int[] {30_000, 22_000}) {
                    try {
                        exchange.keep(bytes);
                        kept.add(true);
                    } catch (Excess e) {
                        kept.add(false);
                    }
                }
                late.complete(exchange);
            }
        };
        try (HttpServer server =
                HttpServer.start(loop, ANY_PORT, new HttpServer.Terms(site, 4, HttpServer.DEADLINE, accounts))) {
            Exchange exchange;
            try (Socket socket =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                socket.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                exchange = late.get(60, TimeUnit.SECONDS);
                assertThat(kept).containsExactly(true, false);
                assertThat(accounts.held(true)).as("an address has 50,000").isEqualTo(30_000);
            }
            while (!exchange.isGone() || accounts.held(true) != 0) {
                Thread.onSpinWait();
            }
            exchange.keep(4000);
            assertThat(accounts.held(true)).isZero();
        }
    }

    private String scrape() {
        if (metrics.isEmpty()) {
            throw new IllegalStateException("a supplier failed");
        }
        return metrics;
    }

    @AfterEach
    void close() {
        endpoint.close();
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private Socket connect() throws IOException {
        return new Socket(endpoint.address().getAddress(), endpoint.address().getPort());
    }

    /** Sends a request and returns everything that the server sends until the server closes its side. */
    private String exchange(String request) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path) throws IOException {
        return exchange("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    @Test
    void metricsAreServedAsPrometheusText() throws IOException {
        assertThat(get("/metrics"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-type: text/plain; version=0.0.4; charset=utf-8\r\n")
                .contains("content-length: 15\r\n")
                .contains("connection: close\r\n")
                .endsWith("\r\n\r\nmuster_nodes 3\n");
        assertThat(get("/metrics?name[]=x")).startsWith("HTTP/1.1 200 OK\r\n");
    }

    @Test
    void readinessReturnsTheReasons() throws IOException {
        assertThat(get("/readyz"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .endsWith("{\"schema_version\":1,\"ok\":true,\"reasons\":[]}\n");
        ready = Health.because("the journal is being replayed", "read-only: No space left on device");
        assertThat(get("/readyz"))
                .startsWith("HTTP/1.1 503 Service Unavailable\r\n")
                .contains("content-type: application/json\r\n")
                .endsWith(
                        "{\"schema_version\":1,\"ok\":false,\"reasons\":[\"the journal is being replayed\",\"read-only: No space left on device\"]}\n");
        assertThat(get("/healthz")).as("alive all the same").startsWith("HTTP/1.1 200 OK\r\n");
    }

    @ParameterizedTest
    @CsvSource({
        "GET /, 404 Not Found",
        "GET /metrics/, 400 Bad Request",
        "GET //metrics, 400 Bad Request",
        "GET /metrics/../readyz, 400 Bad Request",
        "PUT /metrics, 405 Method Not Allowed",
        "DELETE /readyz, 405 Method Not Allowed",
        "FOO /metrics, 405 Method Not Allowed"
    })
    void otherPathsAndMethodsAreRefused(String request, String status) throws IOException {
        assertThat(exchange(request + " HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 " + status + "\r\n");
    }

    @Test
    void headHasTheLengthWithoutTheBody() throws IOException {
        assertThat(exchange("HEAD /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n")
                .contains("content-length: 15\r\n")
                .endsWith("\r\n\r\n");
    }

    @Test
    void oneConnectionServesOneRequest() throws IOException {
        String pipelined = "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000);
        assertThat(exchange(pipelined).split("HTTP/1.1 200 OK", -1)).hasSize(2);
    }

    @Test
    void theBodyOfARefusedRequestIsNotInterpreted() throws IOException {
        String body = "x".repeat(1 << 20);
        String answer = exchange(
                "POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        assertThat(answer).startsWith("HTTP/1.1 405").contains("allow: GET, HEAD\r\n");
    }

    @ParameterizedTest
    @CsvSource({"/", "/metrics?"})
    void anEndlessRequestLineIsRefused(String start) throws IOException {
        assertThat(get(start + "a".repeat(20_000))).startsWith("HTTP/1.1 414 Request-URI Too Long\r\n");
    }

    @Test
    void headersBeyondTheLimitAreRefused() throws IOException {
        assertThat(exchange("GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(20_000) + "\r\n\r\n"))
                .startsWith("HTTP/1.1 431 Request Header Fields Too Large\r\n");
    }

    @Test
    void anExceptionInASupplierIsAnInternalError() throws IOException {
        metrics = "";
        assertThat(get("/metrics"))
                .startsWith("HTTP/1.1 500 Internal Server Error\r\n")
                .contains("internal error, see the log");
        assertThat(get("/readyz")).startsWith("HTTP/1.1 200 OK\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /metrics HTTP/1.1\r\nHost: ", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n"})
    void anIncompleteRequestIsClosedAtTheDeadline(String begun) throws IOException {
        endpoint.close();
        endpoint = start(Duration.ofMillis(50));
        try (Socket silent = connect()) {
            silent.getOutputStream().write(begun.getBytes(StandardCharsets.US_ASCII));
            assertThat(silent.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aPeerThatDoesNotReadIsClosedAtTheDeadlineAndDoesNotDelayOthers() throws IOException {
        endpoint.close();
        endpoint = start(Duration.ofSeconds(3));
        metrics = "m 1\n".repeat(4 << 20);
        try (Socket frozen = new Socket();
                Socket later = new Socket()) {
            frozen.setReceiveBufferSize(4096);
            frozen.connect(endpoint.address());
            later.connect(endpoint.address());
            frozen.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(get("/readyz")).startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(later.getInputStream().read())
                    .as("cut off at the deadline")
                    .isEqualTo(-1);
            try (Socket latest = connect()) {
                assertThat(latest.getInputStream().read())
                        .as("cut off after frozen, which connected earlier")
                        .isEqualTo(-1);
            }
            assertThat(bytesUntilCutOff(frozen)).isLessThan(metrics.length());
        }
    }

    private static long bytesUntilCutOff(Socket socket) throws IOException {
        long total = 0;
        try {
            byte[] chunk = new byte[65536];
            for (int n = socket.getInputStream().read(chunk);
                    n >= 0;
                    n = socket.getInputStream().read(chunk)) {
                total += n;
            }
        } catch (SocketException reset) {
            return total;
        }
        return total;
    }

    /** Opens the maximum number of connections, as a process without rights could do to block the probes. */
    private List<Socket> takeAllSeats(String request) throws IOException {
        endpoint.close();
        endpoint = start(Duration.ofHours(1)); // a long deadline, so that no connection is closed at its deadline
        return fillSeats(request);
    }

    private List<Socket> fillSeats(String request) throws IOException {
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < MOST_CONNECTIONS; i++) {
            Socket socket = new Socket();
            held.add(socket);
            socket.setReceiveBufferSize(4096);
            socket.bind(new InetSocketAddress("127.0.0." + (2 + i % 2), 0)); // one address may not use all connections
            socket.connect(endpoint.address());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        }
        return held;
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "GET /metrics HT", "GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"})
    void aProbeReplacesTheOldestConnectionIfAllAreInUse(String request) throws IOException {
        List<Socket> held = takeAllSeats(request);
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK\r\n");
        closeAll(held);
    }

    @Test
    void connectionsOfAnAddressToOtherSocketsDoNotCount() throws IOException {
        endpoint.close();
        AccountBook accounts = new AccountBook(1L << 40, System::nanoTime);
        for (int i = 0; i < 100; i++) {
            accounts.begin(Kind.STRANGER, "127.0.0.1", Limit.CONNECTIONS, 100, "connections");
        }
        Probes probes = new Probes(this::scrape, () -> Health.OK, () -> ready, () -> Health.OK);
        endpoint = HttpServer.start(loop, ANY_PORT, new HttpServer.Terms(probes, 8, Duration.ofHours(1), accounts));
        List<Socket> held = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            Socket socket = new Socket();
            held.add(socket);
            socket.bind(new InetSocketAddress("127.0.0.2", 0));
            socket.connect(endpoint.address());
        }
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK\r\n");
        closeAll(held);
    }

    @Test
    void connectionsWhoseResponsesAreNotReadAreReplacedToo() throws IOException {
        metrics = "m 1\n".repeat(3 << 19); // more than the buffers of two sockets hold, and 64 times that in memory
        List<Socket> held = takeAllSeats("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
        for (Socket socket : held) {
            assertThat(socket.getInputStream().read())
                    .as("it is being answered")
                    .isEqualTo('H');
        }
        assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK\r\n");
        assertThat(bytesUntilCutOff(held.get(0))).isLessThan(metrics.length());
        closeAll(held);
    }

    @Test
    void aResponseInProgressIsNotClosedWhileOthersAreIdle() throws IOException {
        endpoint.close();
        endpoint = start(Duration.ofHours(1));
        metrics = "m 1\n".repeat(4 << 20);
        try (Socket scraper = connect()) {
            scraper.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(scraper.getInputStream().read())
                    .as("it is being answered")
                    .isEqualTo('H');
            List<Socket> held = fillSeats("");
            assertThat(get("/healthz")).startsWith("HTTP/1.1 200 OK\r\n");
            assertThat(bytesUntilCutOff(scraper)).isGreaterThan(metrics.length());
            closeAll(held);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, 200 OK",
        "LocalHost:9559, 200 OK",
        "127.0.0.1:9559, 200 OK",
        "127.1.2.3, 200 OK",
        "[::1]:9559, 200 OK",
        "[0:0:0:0:0:0:0:1], 200 OK",
        "evil.example, 421 Misdirected Request",
        "evil.example:9559, 421 Misdirected Request",
        "127.0.0.1.evil.example, 421 Misdirected Request",
        "localhost.evil.example, 421 Misdirected Request",
        "10.0.0.1:9559, 421 Misdirected Request",
        "[2001:db8::1]:9559, 421 Misdirected Request",
        "'', 421 Misdirected Request"
    })
    void onALoopbackAddressTheHostHeaderMustNameLoopback(String host, String status) throws IOException {
        assertThat(exchange("GET /metrics HTTP/1.1\r\nHost: " + host + "\r\n\r\n"))
                .startsWith("HTTP/1.1 " + status + "\r\n");
        assertThat(exchange("GET /readyz HTTP/1.1\r\nHost: localhost\r\nHost: " + host + "\r\n\r\n"))
                .as("two of them")
                .startsWith("HTTP/1.1 400 Bad Request\r\n");
    }

    @Test
    void theRefusalOfAHostHeaderNamesTheAcceptedOnes() throws IOException {
        assertThat(exchange("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"))
                .contains("the Host header must name localhost, 127.0.0.1 or [::1]")
                .doesNotContain("muster_nodes");
    }

    @Test
    void onOtherAddressesAnyHostHeaderIsAccepted() throws IOException {
        endpoint.close();
        endpoint = start(new InetSocketAddress("0.0.0.0", 0), HttpServer.DEADLINE);
        assertThat(exchange("GET /metrics HTTP/1.1\r\nHost: node1.example:9559\r\n\r\n"))
                .startsWith("HTTP/1.1 200 OK\r\n");
    }

    @Test
    void aResponseForADisconnectedPeerUsesNoMemory() throws Exception {
        CompletableFuture<Exchange> asked = new CompletableFuture<>();
        Site site = new Site() {
            @Override
            public void check(Ask head) {}

            @Override
            public void serve(Exchange exchange) {
                asked.complete(exchange);
            }
        };
        AccountBook accounts = new AccountBook(400_000, System::nanoTime);
        HttpServer.Terms terms = new HttpServer.Terms(site, 4, HttpServer.DEADLINE, accounts);
        try (HttpServer other = HttpServer.start(loop, ANY_PORT, terms)) {
            CompletableFuture<Boolean> gone = new CompletableFuture<>();
            try (Socket socket =
                    new Socket(other.address().getAddress(), other.address().getPort())) {
                socket.getOutputStream()
                        .write("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                asked.get(60, TimeUnit.SECONDS).whenGone(() -> gone.complete(true));
            }
            assertThat(gone.get(60, TimeUnit.SECONDS)).isTrue();
            assertThat(asked.get().isGone()).isTrue();
            asked.get().answer(HttpAnswer.text(200, "text/plain", "x".repeat(60)));
            loop.submit(() -> {}).get();
            assertThat(accounts.held(true)).isZero();
        }
    }

    @Test
    void anAddressInUseIsReported() {
        assertThatThrownBy(() -> HttpServer.start(loop, endpoint.address(), terms(HttpServer.DEADLINE)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "cannot listen on 127.0.0.1:" + endpoint.address().getPort() + ": ")
                .hasMessageContaining("Address already in use");
    }
}
