package io.muster.daemon.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.access.Identity;
import io.muster.daemon.access.Scope;
import io.muster.daemon.account.AccountBook;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
final class AcceptedTest {
    private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());

    @AfterEach
    void close() {
        loop.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /** Data about the process must be read while the process certainly exists. */
    @Test
    void theSiteCompletesAnIdentityBeforeTheRequestArrives(@TempDir Path directory) throws Exception {
        CompletableFuture<Identity> connected = new CompletableFuture<>();
        CompletableFuture<@Nullable Identity> asked = new CompletableFuture<>();
        Identity complete = Identity.ofToken("complete", Set.of(), Scope.NONE, null);
        Site site = new Site() {
            @Override
            public Identity accepted(Identity peer) {
                connected.complete(peer);
                return complete;
            }

            @Override
            public void check(Ask head) {
                asked.complete(head.peer());
            }

            @Override
            public void serve(Exchange exchange) {}
        };
        Path path = directory.resolve("s");
        HttpServer.Terms terms =
                new HttpServer.Terms(site, 4, HttpServer.DEADLINE, new AccountBook(1L << 40, System::nanoTime));
        try (HttpServer server = HttpServer.start(loop, path, file -> {}, terms);
                SocketChannel client = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            client.connect(UnixDomainSocketAddress.of(path));
            assertThat(connected.get(60, TimeUnit.SECONDS).pid())
                    .isEqualTo((int) ProcessHandle.current().pid());
            client.write(ByteBuffer.wrap("GET /x HTTP/1.1\r\nHost: m\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            assertThat(asked.get(60, TimeUnit.SECONDS)).isSameAs(complete);
            assertThat(server.isTcp()).isFalse();
        }
    }
}
