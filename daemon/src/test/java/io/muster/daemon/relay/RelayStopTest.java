package io.muster.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.client.TlsServer;
import io.muster.protocol.testing.Pki;
import io.muster.testing.Needs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class RelayStopTest {
    @TempDir
    private Path directory;

    @Test
    @Needs("openssl")
    void workThatEndsAfterTheRelayIsDropped() throws Exception {
        Pki pki = Pki.in(directory.resolve("pki"));
        pki.issue("ca", "login1", "DNS:login1.example.org");
        CompletableFuture<Thread> begun = new CompletableFuture<>();
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        CompletableFuture<Boolean> end = new CompletableFuture<>();
        try (RelaySocket relay = new RelaySocket(
                directory.resolve("relay"),
                List.of(TlsServer.parse("tls://127.0.0.1:1")),
                pki.client("login1"),
                "login1",
                Duration.ofSeconds(1))) {
            relay.aside(() -> {
                Thread thread = Thread.currentThread();
                thread.setUncaughtExceptionHandler((where, bug) -> thrown.complete(bug));
                begun.complete(thread);
                awaitUninterruptibly(end);
                return () -> {};
            });
            begun.get();
        }
        end.complete(true);
        begun.get().join();
        assertThat(thrown).isNotDone();
    }

    private static void awaitUninterruptibly(CompletableFuture<Boolean> end) {
        while (!end.isDone()) {
            try {
                assertThat(end.get()).isTrue();
            } catch (InterruptedException | ExecutionException stopping) {
                // the relay interrupts its threads when it stops, and this work goes on
            }
        }
    }
}
