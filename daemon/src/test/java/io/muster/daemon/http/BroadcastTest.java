package io.muster.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.account.AccountBook;
import io.muster.protocol.wire.Bytes;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Events for readers that read, stop reading, disconnect and reconnect. */
@Timeout(300)
final class BroadcastTest {
    private static final int KEPT = 1000;

    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    private final Broadcast events = new Broadcast(loop.next(), KEPT, 0);
    private final AtomicBoolean allowed = new AtomicBoolean(true);
    /** The number of readers that were registered, including closed ones. */
    private final AtomicInteger registered = new AtomicInteger();

    private final List<Socket> open = new ArrayList<>();
    private HttpServer server;
    private long last;

    @BeforeEach
    void start() throws IOException {
        serve(HttpServer.DEADLINE);
    }

    private void serve(Duration deadline) throws IOException {
        Site site = new Site() {
            @Override
            public void check(Ask head) {}

            @Override
            public void serve(Exchange exchange) {
                long since = Long.parseLong(
                        Objects.requireNonNull(exchange.ask().params().get("since"))
                                .get(0));
                List<String> names = exchange.ask().params().getOrDefault("name", List.of());
                Broadcast.Choice choice = new Broadcast.Choice(names.toString(), item -> {
                    if (names.contains("costly")) {
                        throw new OutOfMemoryError("a test");
                    }
                    return names.isEmpty() || names.contains(item.name());
                });
                exchange.follow(events.reader(since, choice, drop -> {
                    if (!allowed.get()) {
                        drop.run();
                    }
                }));
                registered.incrementAndGet();
            }
        };
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = HttpServer.start(
                loop, any, new HttpServer.Terms(site, 3000, deadline, new AccountBook(1L << 40, System::nanoTime)));
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : open) {
            socket.close();
        }
        events.end();
        server.close();
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private void add(int count, String name, int length) {
        List<Broadcast.Item> some = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            last++;
            String json = "{\"n\":" + last + ",\"x\":\"" + "x".repeat(length) + "\"}";
            some.add(new Broadcast.Item(last, name, Bytes.wrap(json.getBytes(StandardCharsets.UTF_8))));
        }
        events.add(some);
    }

    private Socket follow(String query) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        socket.setReceiveBufferSize(4096);
        socket.connect(server.address());
        String request = "GET /e?" + query + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    /** Reads the events that a socket has sent, in short form: {@code 7 drain}, or {@code 7 gap {"first":8}}. */
    private static final class Reader {
        private final BufferedReader in;

        Reader(Socket socket) throws IOException {
            in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        }

        @Nullable
        String next() throws IOException {
            String id = "";
            String name = "";
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("id: ")) {
                    id = line.substring(4);
                } else if (line.startsWith("event: ")) {
                    name = line.substring(7);
                } else if (line.startsWith("data: ")) {
                    return id + " " + name + (name.equals("gap") ? " " + line.substring(6) : "");
                }
            }
            return null;
        }
    }

    @Test
    void aReaderIsSentTheKeptEventsAndThenNewOnes() throws IOException {
        add(2, "drain", 10);
        Reader reader = new Reader(follow("since=0"));
        assertThat(reader.next()).isEqualTo("1 drain");
        assertThat(reader.next()).isEqualTo("2 drain");
        add(1, "undrain", 10);
        assertThat(reader.next()).isEqualTo("3 undrain");
        Reader resumed = new Reader(follow("since=2"));
        assertThat(resumed.next()).isEqualTo("3 undrain");
    }

    @Test
    void aReaderWithoutAPositionBeginsWithTheNextEvent() throws IOException {
        add(5, "drain", 10);
        Socket socket = follow("since=-1");
        assertThat(socket.getInputStream().readNBytes("HTTP/1.1 200 OK".length()))
                .isNotEmpty();
        Reader reader = new Reader(socket);
        add(1, "undrain", 10);
        assertThat(reader.next()).isEqualTo("6 undrain");
    }

    @Test
    void aGapHasTheNumberOfTheFirstKeptEvent() throws IOException {
        add(KEPT + 500, "drain", 10);
        Reader reader = new Reader(follow("since=3"));
        assertThat(reader.next()).isEqualTo("500 gap {\"first\":501}");
        assertThat(reader.next()).isEqualTo("501 drain");
    }

    @Test
    void skippedSequenceNumbersAreReportedAsAGap() throws IOException {
        add(2, "drain", 10);
        Reader reader = new Reader(follow("since=1"));
        assertThat(reader.next()).isEqualTo("2 drain");
        last = 49;
        add(1, "undrain", 10);
        assertThat(reader.next()).isEqualTo("49 gap {\"first\":50}");
        assertThat(reader.next()).isEqualTo("50 undrain");
    }

    @Test
    void aFilterSkipsEventsWithoutAGap() throws IOException {
        add(3, "drain", 10);
        add(1, "undrain", 10);
        Reader reader = new Reader(follow("since=0&name=undrain"));
        assertThat(reader.next()).isEqualTo("4 undrain");
    }

    @Test
    void aThousandReadersThatDoNotReadDoNotDelayOthers() throws IOException {
        add(900, "drain", 1000);
        for (int i = 0; i < 1000; i++) {
            follow("since=0");
        }
        Reader live = new Reader(follow("since=900"));
        for (int i = 0; i < 100; i++) {
            add(1, "undrain", 1000);
            assertThat(live.next()).isEqualTo(901 + i + " undrain");
        }
    }

    @Test
    void anOutOfMemoryErrorForOneReaderClosesOnlyThisReader() throws IOException {
        Socket costly = follow("since=0&name=costly");
        Reader other = new Reader(follow("since=0"));
        while (registered.get() < 2) {
            Thread.onSpinWait();
        }
        for (int i = 1; i <= 3; i++) {
            add(1, "drain", 10);
            assertThat(other.next()).isEqualTo(i + " drain");
        }
        assertThat(new Reader(costly).next()).isNull();
        events.end();
        while (events.size() != 0 || events.untaken() != 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void readersThatDoNotReadUseLimitedMemoryRegardlessOfTheirFilters() throws IOException {
        add(14, "drain", 1 << 20);
        for (int i = 0; events.untaken() < Broadcast.MOST_UNTAKEN; i++) {
            follow("since=0&name=drain&name=other" + i);
        }
        for (int i = 0; i < 10; i++) {
            follow("since=0&name=drain&name=more" + i);
        }
        Reader late = new Reader(follow("since=0&name=drain&name=late"));
        int readers = open.size();
        while (registered.get() < readers) {
            Thread.onSpinWait();
        }
        assertThat(events.untaken()).isLessThan(Broadcast.MOST_UNTAKEN + (4 << 20));
        for (Socket socket : open.subList(0, readers - 1)) {
            socket.close();
        }
        while (events.untaken() > Broadcast.MOST_UNTAKEN / 2) {
            Thread.onSpinWait();
        }
        add(1, "drain", 10);
        assertThat(late.next()).isEqualTo("1 drain");
    }

    @Test
    void aReaderThatDoesNotReadIsClosedAndMayResume() throws IOException {
        server.close();
        serve(Duration.ofSeconds(1));
        add(900, "drain", 10_000);
        Socket stuck = follow("since=0");
        while (registered.get() == 0) {
            Thread.onSpinWait();
        }
        while (events.size() != 0) {
            Thread.onSpinWait(); // until the daemon has closed the connection
        }
        long end = sequenceAtEnd(stuck);
        assertThat(end).isBetween(1L, 899L);
        assertThat(new Reader(follow("since=" + end)).next()).isEqualTo(end + 1 + " drain");
    }

    /** Reads the bytes that are in the buffers of the sockets. */
    private static long sequenceAtEnd(Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        try {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            for (int b = in.read(); b >= 0; b = in.read()) {
                text.append((char) b);
            }
        } catch (SocketException reset) {
            assertThat(text).isNotEmpty();
        }
        String whole = text.substring(0, text.lastIndexOf("\n\n"));
        String id = whole.substring(whole.lastIndexOf("id: ") + 4);
        return Long.parseLong(id.substring(0, id.indexOf('\n')));
    }

    @Test
    void anIdleReaderIsSentCommentsAndIsClosedAfterItLosesTheRight() throws IOException {
        server.close();
        serve(Duration.ofSeconds(1));
        Socket socket = follow("since=0");
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        String line = in.readLine();
        while (line != null && !line.equals(":")) {
            line = in.readLine();
        }
        assertThat(line).isEqualTo(":");
        allowed.set(false);
        while (line != null) {
            line = in.readLine();
        }
        while (events.size() != 0) {
            Thread.onSpinWait(); // the event loop removes the reader a moment later
        }
        assertThat(line).isNull();
    }
}
