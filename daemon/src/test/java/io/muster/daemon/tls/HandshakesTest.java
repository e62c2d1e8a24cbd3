package io.muster.daemon.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.Pem;
import io.muster.testing.Needs;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Peers between their handshake and their arrival, with threads that the test runs by hand. */
@Needs("openssl")
final class HandshakesTest implements Host {
    private final List<String> told = new ArrayList<>();
    private final Queue<Runnable> workers = new ArrayDeque<>();

    @TempDir
    private Path directory;

    @Override
    public void arrived(Channel channel, Guest guest) {
        told.add("arrived");
    }

    @Override
    public void refused(String address, String reason, String sentence) {
        told.add("refused: " + sentence);
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

    private static Certificates certificates(Path directory, Pki pki) throws IOException {
        Path file = directory.resolve("muster.toml");
        String grant = "san = \"ops.example.org\"\ncrl = \"" + pki.file("ca.crl") + "\"\nrights = [\"read\"]";
        Files.writeString(file, pki.config(grant));
        return new Certificates(Config.load(file, new Environment(Map.of(), 1000, directory, "testhost", 2)));
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
}
