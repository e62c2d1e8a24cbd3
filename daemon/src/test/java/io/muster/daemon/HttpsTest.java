package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.muster.cli.Shell;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.Proof;
import io.muster.testing.Needs;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The HTTP API over TLS, used by the HTTP client of the JDK. */
@Timeout(300)
@Needs("openssl")
class HttpsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String NODES = "[[resource.config]]\nhosts = \"node[0-9999]\"\ncores = \"0-3\"\n";
    private static final String OPS = "san = \"ops.example.org\"\nrights = [\"follow\", \"change\"]";

    @TempDir
    private Path directory;

    private Pki pki;

    @BeforeEach
    void certificates() throws IOException {
        pki = Pki.in(directory.resolve("pki"));
    }

    private RunningDaemon start(String... grants) throws Exception {
        return RunningDaemon.start(directory, NODES + pki.config("https", grants));
    }

    /** @param name the name of the certificate of the client, or null */
    private HttpClient client(@Nullable String name) throws Exception {
        KeyStore issuers = KeyStore.getInstance("PKCS12");
        issuers.load(null, null);
        try (InputStream ca = Files.newInputStream(pki.file("ca.pem"))) {
            issuers.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(ca));
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(issuers);
        TrustManager[] trust = factory.getTrustManagers();
        SSLContext context;
        if (name == null) {
            context = SSLContext.getInstance(Proof.TLS);
            context.init(null, trust, null);
        } else {
            context =
                    Proof.read(pki.file(name + ".pem"), pki.file(name + ".key")).context(trust[0]);
        }
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(context)
                .build();
    }

    private static HttpRequest.Builder at(RunningDaemon daemon, String path) {
        return HttpRequest.newBuilder(URI.create("https://localhost:" + daemon.httpPort() + path));
    }

    private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws Exception {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder drain(RunningDaemon daemon, String host) {
        return at(daemon, "/v1/holds")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"targets\":\"" + host + "\",\"reason\":\"fan\"}"));
    }

    @Test
    void aCertificateHasTheRightsOfItsGrantAndHoldsNameIt() throws Exception {
        pki.issue("ca", "reader", "DNS:reader.example.org");
        try (RunningDaemon daemon = start(OPS, "san = \"reader.example.org\"\nrights = [\"follow\"]")) {
            HttpClient ops = client("ops");
            assertThat(send(ops, drain(daemon, "node7")).statusCode()).isEqualTo(200);
            assertThat(send(ops, at(daemon, "/v1/holds")).body()).contains("node7", "cert:ops.example.org");
            assertThat(send(client("reader"), drain(daemon, "node8")).statusCode())
                    .isEqualTo(403);
            String everything = send(ops, at(daemon, "/v1/hosts?limit=1000")).body();
            assertThat(everything)
                    .as("a response of many records")
                    .hasSizeGreaterThan(1 << 16)
                    .contains("\"node999\"");
        }
    }

    @Test
    void aPeerWithoutACertificateNeedsAToken() throws Exception {
        try (RunningDaemon daemon = start(OPS)) {
            HttpClient nobody = client(null);
            assertThat(send(nobody, at(daemon, "/v1/status")).statusCode()).isEqualTo(401);
            String token = new Shell()
                    .run("token", "create", "page", "--state-dir=" + daemon.stateDir())
                    .out()
                    .strip();
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> send(nobody, at(daemon, "/v1/status").header("Authorization", "Bearer " + token))
                                    .statusCode()
                            == 200);
        }
    }

    @Test
    void certificatesWithoutAGrantAndPlainTextAreRefusedAndCounted() throws Exception {
        pki.issue("ca", "stranger", "DNS:stranger.example.org");
        try (RunningDaemon daemon = start(OPS)) {
            HttpClient stranger = client("stranger");
            assertThatThrownBy(() -> send(stranger, at(daemon, "/v1/status"))).isInstanceOf(IOException.class);
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), daemon.httpPort())) {
                plain.getOutputStream()
                        .write("GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .getBytes(StandardCharsets.US_ASCII));
                byte[] answer = plain.getInputStream().readAllBytes();
                assertThat(new String(answer, StandardCharsets.ISO_8859_1)).doesNotContain("HTTP/1.1");
            }
            // The client without a grant tries several times.
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(daemon.metrics())
                            .containsPattern("muster_connections_refused_total\\{reason=\"certificate\"} [1-9]")
                            .contains("muster_connections_refused_total{reason=\"handshake\"} 1.0"));
        }
    }

    @Test
    void eventsEndWhenTheCertificateIsRevoked() throws Exception {
        pki.list("ca");
        try (RunningDaemon daemon = start(OPS + "\ncrl = \"" + pki.file("ca.crl") + "\"")) {
            HttpResponse<InputStream> events =
                    client("ops").send(at(daemon, "/v1/events").build(), HttpResponse.BodyHandlers.ofInputStream());
            assertThat(events.statusCode()).isEqualTo(200);
            byte[] begin = events.body().readNBytes("retry:".length());
            assertThat(new String(begin, StandardCharsets.US_ASCII)).isEqualTo("retry:");
            pki.revoke("ca", "ops");
            pki.list("ca");
            daemon.lookAgain();
            try (InputStream rest = events.body()) {
                assertThat(rest.readAllBytes()).as("what comes until the end").hasSizeLessThan(1000);
            }
            HttpClient again = client("ops");
            assertThatThrownBy(() -> send(again, at(daemon, "/v1/status"))).isInstanceOf(IOException.class);
        }
    }
}
