package io.muster.protocol.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RaceTest {
    @TempDir
    private Path directory;

    private final List<String> tried = new CopyOnWriteArrayList<>();

    private Servers servers() {
        return Servers.parse("tls://a,tls://b", directory.resolve("runtime"));
    }

    private ClientConnection race(Servers servers, Race.Attempt attempt) throws IOException {
        return new Race(servers, Duration.ZERO, (server, deadline) -> {
                    tried.add(server);
                    return attempt.open(server, deadline);
                })
                .run();
    }

    @Test
    void theNextServerIsTriedBesideOneThatDoesNotAnswerAndALateConnectionIsClosed() throws Exception {
        Servers servers = servers();
        CountDownLatch closed = new CountDownLatch(1);
        try (ScriptedPeer a = ScriptedPeer.welcoming(directory.resolve("a"), side -> {
                    if (side.readOrEnd() == null) {
                        closed.countDown();
                    }
                });
                ScriptedPeer b = ScriptedPeer.welcoming(directory.resolve("b"), side -> side.readOrEnd());
                ClientConnection won = race(servers, (server, deadline) -> {
                    if (server.equals("tls://a")) {
                        waitUntilInterrupted();
                        return ClientConnection.open(a.uri(), Options.DEFAULT);
                    }
                    return ClientConnection.open(b.uri(), Options.DEFAULT);
                })) {
            assertThat(won.server()).contains(b.uri().substring("local://".length()));
            closed.await();
            assertThat(tried).containsExactly("tls://a", "tls://b");
            assertThat(servers.inOrder()).as("a is silent").containsExactly("tls://b");
            assertThat(servers().inOrder()).containsExactly("tls://b", "tls://a");
        }
    }

    private static void waitUntilInterrupted() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException over) {
            // the race is over
        }
    }

    @Test
    void aServerThatFailsIsFollowedByTheNextAndTheLastFailureIsReported() {
        Servers servers = servers();
        assertThatThrownBy(() -> race(servers, (server, deadline) -> {
                    throw server.equals("tls://a") ? new SocketTimeoutException("a") : new ConnectException("b");
                }))
                .isInstanceOf(ConnectException.class)
                .hasMessage("b");
        assertThat(tried).containsExactly("tls://a", "tls://b");
        assertThat(servers.inOrder()).containsExactly("tls://b");
        assertThatThrownBy(() -> race(servers(), (server, deadline) -> {
                    throw new IllegalArgumentException("a wrong address");
                }))
                .hasMessage("a wrong address");
    }
}
