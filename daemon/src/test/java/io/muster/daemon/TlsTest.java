package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell;
import io.muster.daemon.account.Account;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.testing.Pki;
import io.muster.protocol.tls.ClientFiles;
import io.muster.testing.Needs;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Peers that connect over TLS, with certificates that openssl created. */
@Timeout(300)
@Needs("openssl")
class TlsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String NODES = "[[resource.config]]\nhosts = \"node[0-3]\"\ncores = \"0-3\"\n";
    private static final String OPS = "san = \"ops.example.org\"\nrights = [\"follow\", \"change\", \"acquire\"]";
    private static final Options ONCE = Options.DEFAULT.withAttempts(1, Duration.ZERO);

    @TempDir
    private Path directory;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private Pki pki;

    @BeforeEach
    void listen() throws IOException {
        pki = Pki.in(directory.resolve("pki"));
        log.list = new CopyOnWriteArrayList<>(); // the threads of the daemon add lines while the test reads
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void forget() {
        logger().detachAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger("peer");
    }

    private RunningDaemon start(String... grants) throws Exception {
        return RunningDaemon.start(directory, NODES + pki.config(grants));
    }

    private FluxClient connect(RunningDaemon daemon, String name) throws IOException {
        return FluxClient.connect(daemon.tls(), ONCE.with(pki.client(name)));
    }

    private static ObjectNode drain(String host) {
        return JsonNodeFactory.instance.objectNode().put("targets", host).put("reason", "fan");
    }

    private static void assertWorks(FluxClient client) throws IOException {
        assertThat(client.rpc("resource.status", null).isEmpty()).isFalse();
    }

    @Test
    void aCertificateHasTheRightsOfItsGrantAndTheJournalNamesIt() throws Exception {
        pki.issue("ca", "watch", "URI:spiffe://site.example/watch");
        try (RunningDaemon daemon =
                        start(OPS, "san = \"spiffe://site.example/watch\"\nrights = [\"hold\"]\nholder = \"watch\"");
                FluxClient ops = connect(daemon, "ops");
                FluxClient watch = connect(daemon, "watch")) {
            try (ResponseStream journal = ops.stream("resource.journal", null);
                    ResponseStream acquired = ops.stream("resource.acquire", null)) {
                assertThat(acquired.next().path("up").asText()).isEqualTo("0-3");
                ops.rpc("resource.drain", drain("node1"));
                assertThat(acquired.next().path("down").asText()).isEqualTo("1");
                ObjectNode named = drain("node2").put("holder", "watch");
                watch.rpc("resource.drain", named);
                StringBuilder events = new StringBuilder();
                while (!events.toString().contains("node2")) {
                    events.append(journal.next());
                }
                assertThat(events)
                        .contains("\"userid\":-1,\"user\":\"cert:ops.example.org\"")
                        .contains("\"userid\":-1,\"user\":\"cert:spiffe://site.example/watch\"");
            }
            assertThatThrownBy(() -> watch.rpc("resource.drain", drain("node3")))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining(
                            "user cert:spiffe://site.example/watch may drain and undrain only with --holder");
            assertThatThrownBy(() -> ops.rpc("resource.undrain", drain("node2").put("holder", "watch")))
                    .as("another's hold")
                    .hasMessageContaining("cert:spiffe://site.example/watch");
            assertThat(daemon.metrics())
                    .contains("muster_connections{socket=\"tls\"} 2.0")
                    .contains("muster_connections_accepted_total{socket=\"tls\"} 2.0")
                    .doesNotContain("certificate_expiry_timestamp_seconds{kind=\"server\"} 0.0")
                    .doesNotContain("certificate_expiry_timestamp_seconds{kind=\"ca\"} 0.0")
                    .contains("certificate_expiry_timestamp_seconds{kind=\"crl\"} 0.0");
        }
    }

    @Test
    void aCertificateOfAnIntermediateCaIsAcceptedWithItsChain() throws Exception {
        pki.openssl("req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=below"
                + " -addext basicConstraints=critical,CA:TRUE -keyout below.key -out below.csr");
        pki.openssl("ca -batch -notext -config ca.cnf -in below.csr -out below.pem");
        Files.writeString(
                pki.file("below.cnf"), Files.readString(pki.file("ca.cnf")).replace("/ca.", "/below."));
        Files.writeString(pki.file("below.index"), "");
        pki.issue("below", "ops", "DNS:ops.example.org");
        try (RunningDaemon daemon = start(OPS)) {
            assertThatThrownBy(() -> connect(daemon, "ops"))
                    .as("without the CA")
                    .isInstanceOf(RpcException.class);
            Path chain = pki.file("ops.pem");
            Files.writeString(chain, Files.readString(chain) + Files.readString(pki.file("below.pem")));
            try (FluxClient ops = connect(daemon, "ops")) {
                assertWorks(ops);
            }
        }
    }

    /** Asserts that the daemon refuses the certificate with this name, and that the log has this sentence. */
    private void assertRefused(RunningDaemon daemon, String name, String sentence) {
        log.list.clear();
        RpcException refused = catchThrowableOfType(
                RpcException.class, () -> connect(daemon, name).close());
        assertThat(refused).as(name).isNotNull();
        assertThat(refused.errno()).isEqualTo(Errno.EPERM);
        assertThat(refused).hasMessageContaining("refused the connection").hasMessageContaining("log");
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(log.list)
                        .as(name)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .anySatisfy(line -> assertThat(line)
                                .startsWith("refused 127.0.0.1 on tls: ")
                                .contains(sentence)));
    }

    @Test
    void anInvalidCertificateIsRefusedAndTheLogHasTheReason() throws Exception {
        String ops = "DNS:ops.example.org";
        pki.authority("other");
        pki.issue("ca", "old", ops, "-startdate", "20200101000000Z", "-enddate", "20210101000000Z");
        pki.issue("ca", "new", ops, "-startdate", "20900101000000Z", "-enddate", "20910101000000Z");
        pki.issue("other", "foreign", ops);
        pki.issue("ca", "stranger", "DNS:stranger.example.org,URI:x:y");
        pki.issue("ca", "email", "email:ops@example.org");
        pki.issue("ca", "uri", "URI:ops.example.org");
        pki.issue("ca", "case", "DNS:OPS.example.org");
        pki.issue("ca", "weak", ops, "--", "-newkey", "rsa:1024");
        pki.issue("ca", "sha1", ops, "-md", "sha1");
        pki.issue("ca", "server-only", ops, "--", "-addext", "extendedKeyUsage=serverAuth");
        pki.issue("ca", "encipher", ops, "--", "-addext", "keyUsage=keyEncipherment");
        pki.openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -subj /CN=self -addext subjectAltName="
                        + ops + " -keyout self.key -out self.pem");
        try (RunningDaemon daemon = start(OPS);
                FluxClient honest = connect(daemon, "ops")) {
            String named = "the certificate \"ops.example.org\" is refused: ";
            assertRefused(daemon, "old", named + "it has expired");
            assertRefused(daemon, "new", named + "it is not valid yet");
            assertRefused(daemon, "foreign", named + "the CA " + pki.file("ca.pem") + " has not issued it");
            assertRefused(daemon, "self", named + "the CA " + pki.file("ca.pem") + " has not issued it");
            assertRefused(
                    daemon, "stranger", "no [[grant]] names the certificate: its names are stranger.example.org, x:y");
            assertRefused(daemon, "email", "no [[grant]] names the certificate: its names are none");
            assertRefused(daemon, "case", "its names are OPS.example.org");
            assertRefused(daemon, "weak", named + "its key or signature is too weak");
            assertRefused(daemon, "sha1", named + "its key or signature is too weak");
            assertRefused(daemon, "server-only", named + "it is not for clients of TLS");
            assertRefused(daemon, "encipher", named + "it is not for clients of TLS");
            assertThat(daemon.metrics()).contains("muster_connections_refused_total{reason=\"certificate\"} 11.0");
            assertWorks(honest);
        }
    }

    @Test
    void aNameIsAcceptedOnlyFromTheCaOfItsGrant() throws Exception {
        pki.authority("other");
        pki.issue("other", "dev", "DNS:dev.example.org");
        pki.issue("other", "false", "DNS:ops.example.org");
        pki.issue("other", "both", "DNS:ops.example.org,DNS:dev.example.org");
        String dev =
                "[[grant]]\nsan = \"dev.example.org\"\nca = \"" + pki.file("other.pem") + "\"\nrights = [\"read\"]\n";
        try (RunningDaemon daemon = RunningDaemon.start(directory, NODES + pki.config(OPS) + dev);
                FluxClient both = connect(daemon, "both");
                FluxClient reader = connect(daemon, "dev")) {
            assertWorks(reader);
            for (FluxClient client : List.of(reader, both)) {
                assertThatThrownBy(() -> client.rpc("resource.drain", drain("node1")))
                        .hasMessageContaining("Request requires owner credentials");
            }
            assertRefused(daemon, "false", "the CA " + pki.file("ca.pem") + " has not issued it");
        }
    }

    // ---- peers that do not complete a handshake

    /** Opens a TLS socket that accepts every certificate, which only a test may do. */
    private static SSLSocket socket(int port, String version) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setEnabledProtocols(new String[] {version});
        socket.setSoTimeout(60_000);
        return socket;
    }

    @Test
    void aPeerWithoutCertificateIsRefused() throws Exception {
        try (RunningDaemon daemon = start(OPS);
                SSLSocket bare = socket(daemon.port(), "TLSv1.3")) {
            bare.startHandshake();
            assertThatThrownBy(() -> bare.getInputStream().read())
                    .isInstanceOf(SSLException.class)
                    .hasMessageMatching("(\\(.*\\) )?Received fatal alert: (bad_certificate|certificate_required)");
        }
    }

    @Test
    void olderVersionsOfTlsAreRefused() throws Exception {
        try (RunningDaemon daemon = start(OPS);
                SSLSocket old = socket(daemon.port(), "TLSv1.2")) {
            assertThatThrownBy(old::startHandshake).hasMessageEndingWith("Received fatal alert: protocol_version");
        }
    }

    @Test
    void plainTextIsRefusedWithoutAResponseInPlainText() throws Exception {
        try (RunningDaemon daemon = start(OPS);
                Socket plain = new Socket(InetAddress.getLoopbackAddress(), daemon.port())) {
            plain.setSoTimeout(60_000);
            plain.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("HTTP");
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(log.list)
                            .extracting(ILoggingEvent::getFormattedMessage)
                            .contains("refused 127.0.0.1 on tls: the peer does not speak TLS"));
            assertThat(daemon.metrics()).contains("muster_connections_refused_total{reason=\"handshake\"} 1.0");
        }
    }

    /** Returns a number that the lines of the log about one address do not reach: a slow test takes more than one minute. */
    private static int most(long start) {
        int windows = (int) (1 + TimeUnit.NANOSECONDS.toMinutes(System.nanoTime() - start));
        return windows * (Account.A_MINUTE + 1) + 10;
    }

    @Test
    void randomBytesFromUnauthenticatedPeersDoNotAffectOthers() throws Exception {
        Random random = new Random(7);
        long start = System.nanoTime();
        try (RunningDaemon daemon = start(OPS);
                FluxClient honest = connect(daemon, "ops")) {
            for (int i = 0; i < 200; i++) {
                try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), daemon.port())) {
                    byte[] bytes = new byte[random.nextInt(40_000)];
                    random.nextBytes(bytes);
                    byte[] head = {
                        22, 3, 1, (byte) random.nextInt(64), (byte) random.nextInt(256), (byte) random.nextInt(3)
                    };
                    stranger.getOutputStream().write(head, 0, random.nextInt(head.length + 1));
                    stranger.getOutputStream().write(bytes);
                } catch (IOException reset) {
                    // the daemon may close the connection before it has read all bytes
                }
            }
            assertWorks(honest);
            connect(daemon, "ops").close();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(daemon.metrics())
                            .contains("muster_connections_refused_total{reason=\"handshake\"} 200.0"));
            assertThat(log.list.size()).as("the log is not filled").isLessThan(most(start));
        }
    }

    @Test
    void incompleteHandshakesDoNotBlockOtherConnections() throws Exception {
        List<Socket> half = new ArrayList<>();
        try (RunningDaemon daemon = start(OPS);
                FluxClient before = connect(daemon, "ops")) {
            for (int i = 0; i < 200; i++) {
                Socket socket = new Socket();
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), daemon.port()));
                socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1}); // the header of a record of 512 bytes
                half.add(socket);
            }
            assertWorks(before);
            try (FluxClient local = FluxClient.connect(daemon.uri())) {
                local.rpc("resource.drain", drain("node1"));
            }
            try (FluxClient late = connect(daemon, "ops")) {
                assertWorks(late);
            }
        } finally {
            for (Socket socket : half) {
                socket.close();
            }
        }
    }

    // ---- data on a connection

    @Test
    void manyPipelinedRequestsAndLongResponsesArrive() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(
                        directory,
                        "[[resource.config]]\nhosts = \"node[0-4095]\"\ncores = \"0-3\"\n" + pki.config(OPS));
                FluxClient ops = connect(daemon, "ops")) {
            List<SentRequest> calls = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                calls.add(ops.call("resource.status", null));
            }
            for (SentRequest call : calls) {
                assertThat(call.get().isEmpty()).isFalse();
            }
            ObjectNode large = drain("node[0-4095]").put("reason", "x".repeat(500_000));
            assertThatThrownBy(() -> ops.rpc("resource.drain", large)).isInstanceOf(RpcException.class);
            assertWorks(ops);
        }
    }

    // ---- files and configurations that change

    @Test
    void reloadedFilesCloseOnlyConnectionsWithRevokedCertificates() throws Exception {
        pki.issue("ca", "dev", "DNS:dev.example.org");
        pki.list("ca");
        pki.authority("other");
        String other =
                "[[grant]]\nsan = \"other.example.org\"\nca = \"" + pki.file("other.pem") + "\"\nrights = [\"read\"]\n";
        String crl = "\ncrl = \"" + pki.file("ca.crl") + "\"";
        String config = pki.config(OPS + crl, "san = \"dev.example.org\"\nrights = [\"read\"]" + crl);
        try (RunningDaemon daemon = RunningDaemon.start(directory, NODES + config + other);
                FluxClient ops = connect(daemon, "ops");
                FluxClient dev = connect(daemon, "dev")) {
            assertWorks(dev);
            pki.revoke("ca", "dev");
            pki.issue("ca", "server", "DNS:localhost,DNS:renewed");
            pki.list("ca");
            Files.delete(pki.file("other.pem")); // an unreadable file of one CA does not affect the files of another CA
            daemon.lookAgain();
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> assertWorks(dev)).isInstanceOf(IOException.class));
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .anyMatch(line -> line.matches("peer=cert:dev.example.org:127.0.0.1 closed: .* it was revoked"));
            assertRefused(daemon, "dev", "it was revoked");
            assertWorks(ops);
            try (SSLSocket socket = socket(daemon.port(), "TLSv1.3")) {
                socket.startHandshake();
                assertThat(socket.getSession().getPeerCertificates()[0].toString())
                        .contains("renewed");
            }
        }
    }

    @Test
    void allCertificatesOfACaAreRefusedIfItsCrlIsMissingOutdatedOrDamaged() throws Exception {
        pki.list("ca");
        String crl = "\ncrl = \"" + pki.file("ca.crl") + "\"";
        try (RunningDaemon daemon = start(OPS + crl)) {
            connect(daemon, "ops").close();
            Files.delete(pki.file("ca.crl"));
            daemon.lookAgain();
            assertRefused(
                    daemon,
                    "ops",
                    "the list of revoked certificates " + pki.file("ca.crl") + " cannot be read: no such file");
            pki.list("ca", "-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200201000000Z");
            daemon.lookAgain();
            assertRefused(daemon, "ops", "is out of date");
            Files.writeString(pki.file("ca.crl"), "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n");
            daemon.lookAgain();
            assertRefused(daemon, "ops", "has a damaged list of revoked certificates");
            pki.list("ca");
            daemon.lookAgain();
            connect(daemon, "ops").close();
        }
    }

    @Test
    void aKeyThatDoesNotMatchTheCertificateIsIgnoredAndTheLastOneStaysInUse() throws Exception {
        try (RunningDaemon daemon = start(OPS)) {
            Files.copy(pki.file("ops.key"), pki.file("x"));
            Files.move(pki.file("x"), pki.file("server.key"), StandardCopyOption.REPLACE_EXISTING);
            daemon.lookAgain();
            connect(daemon, "ops").close();
            assertThat(daemon.hangup(Files.readString(daemon.configFile())))
                    .as("a reload refuses it")
                    .isFalse();
            connect(daemon, "ops").close();
        }
    }

    @Test
    void aPeerThatLosesARightOrItsGrantIsDisconnected() throws Exception {
        pki.issue("ca", "dev", "DNS:dev.example.org");
        String dev = "san = \"dev.example.org\"\nrights = [\"read\"]";
        try (RunningDaemon daemon = start(OPS, dev);
                FluxClient ops = connect(daemon, "ops");
                FluxClient reader = connect(daemon, "dev")) {
            daemon.reconfigure(NODES + pki.config(OPS, dev, "san = \"dev.example.org\"\nrights = [\"follow\"]"));
            assertWorks(ops);
            assertWorks(reader);
            daemon.reconfigure(NODES + pki.config("san = \"ops.example.org\"\nrights = [\"change\"]", dev));
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> assertWorks(ops)).isInstanceOf(IOException.class));
            assertWorks(reader);
            daemon.reconfigure(NODES + pki.config(OPS));
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThatThrownBy(() -> assertWorks(reader)).isInstanceOf(IOException.class));
            assertRefused(daemon, "dev", "no [[grant]] names the certificate");
        }
    }

    /** Connects with a certificate that expires in seconds, and repeats this with more time if it has expired before. */
    private FluxClient connectBriefly(RunningDaemon daemon) throws Exception {
        DateTimeFormatter form =
                DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
        for (int seconds = 2; ; seconds *= 2) {
            String end = form.format(Instant.now().plusSeconds(seconds));
            pki.issue("ca", "brief", "DNS:ops.example.org", "-startdate", "20200101000000Z", "-enddate", end);
            FluxClient brief = null;
            try {
                brief = connect(daemon, "brief");
                assertWorks(brief);
                return brief;
            } catch (IOException | RpcException expired) {
                assertThat(seconds).isLessThan(60);
                if (brief != null) {
                    brief.close();
                }
            }
        }
    }

    @Test
    void aConnectionEndsWhenItsCertificateExpires() throws Exception {
        try (RunningDaemon daemon = start(OPS);
                FluxClient ops = connect(daemon, "ops")) {
            try (FluxClient brief = connectBriefly(daemon)) {
                await().atMost(Duration.ofMinutes(1))
                        .untilAsserted(() ->
                                assertThatThrownBy(() -> assertWorks(brief)).isInstanceOf(IOException.class));
                assertWorks(ops);
                assertThat(log.list)
                        .extracting(ILoggingEvent::getFormattedMessage)
                        .contains("peer=cert:ops.example.org:127.0.0.1 closed: its certificate has expired");
            }
        }
    }

    @Test
    void aCertificateThatExpiresSoonIsLoggedOncePerReload() throws Exception {
        Logger muster = (Logger) LoggerFactory.getLogger("muster");
        muster.addAppender(log);
        pki.issue("ca", "server", "DNS:localhost", "-days", "10");
        try (RunningDaemon daemon = start(OPS)) {
            daemon.lookAgain();
            daemon.lookAgain();
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .filteredOn(line -> line.contains("server.pem expires within 10 days"))
                    .hasSize(1);
            daemon.reconfigure(NODES + pki.config(OPS));
            assertThat(log.list)
                    .extracting(ILoggingEvent::getFormattedMessage)
                    .filteredOn(line -> line.contains("server.pem expires within 10 days"))
                    .as("a reload says it again")
                    .hasSize(2);
        } finally {
            muster.detachAppender(log);
        }
    }

    @Test
    void checkNamesCertificateFilesThatCannotBeUsed() throws Exception {
        Path config = Files.writeString(directory.resolve("check.toml"), NODES + pki.config(OPS));
        Shell shell = new Shell();
        assertThat(shell.run("check", config.toString()).err()).isEmpty();
        Files.delete(pki.file("server.key"));
        Files.writeString(pki.file("ca.pem"), "nothing");
        Shell.Result refused = shell.run("check", config.toString());
        assertThat(refused.exit()).isNotZero();
        assertThat(refused.err())
                .contains(
                        pki.file("server.key") + ": no such file", pki.file("ca.pem") + ": has no certificate in PEM");
    }

    // ---- the client

    @Test
    void theClientTrustsOnlyItsCaAndTheRequestedHostName() throws Exception {
        pki.authority("other");
        pki.issue("ca", "elsewhere", "DNS:elsewhere.example.org");
        try (RunningDaemon daemon = start(OPS)) {
            Options foreign =
                    ONCE.with(new ClientFiles(pki.file("ops.pem"), pki.file("ops.key"), pki.file("other.pem")));
            assertThatThrownBy(() -> FluxClient.connect(daemon.tls(), foreign))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("tls://localhost:" + daemon.port() + " is not trusted: ");
            Files.copy(pki.file("elsewhere.pem"), pki.file("server.pem"), StandardCopyOption.REPLACE_EXISTING);
            Files.copy(pki.file("elsewhere.key"), pki.file("server.key"), StandardCopyOption.REPLACE_EXISTING);
            daemon.lookAgain();
            assertThatThrownBy(() -> connect(daemon, "ops"))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("is not trusted: No subject alternative DNS name matching localhost found");
        }
    }

    @Test
    void serversAreTriedInOrderAndAnUnresponsiveOneIsTriedOnce() throws Exception {
        try (RunningDaemon daemon = start(OPS);
                ServerSocket silent = new ServerSocket(0, 50)) {
            String nobody = "tls://localhost:1";
            String dead = "tls://localhost:" + silent.getLocalPort();
            String all = String.join(",", nobody, dead, daemon.tls());
            try (FluxClient ops = FluxClient.connect(all, ONCE.with(pki.client("ops")))) {
                assertWorks(ops);
            }
            assertThatThrownBy(() -> FluxClient.connect(
                            dead + "," + nobody,
                            Options.DEFAULT.withTimeout(Duration.ofSeconds(1)).with(pki.client("ops"))))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageStartingWith("nothing listens on " + nobody);
            assertThatThrownBy(() -> FluxClient.connect(
                            dead, ONCE.withTimeout(Duration.ofSeconds(1)).with(pki.client("ops"))))
                    .isInstanceOf(SocketTimeoutException.class)
                    .hasMessage(dead + " accepted the connection, but does not answer in TLS");
            assertThatThrownBy(() -> FluxClient.connect(nobody, ONCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("~/.config/muster/client.toml");
        }
    }

    @Test
    void aRefusedClientAlwaysReceivesTheReason() throws Exception {
        pki.authority("other");
        pki.issue("other", "foreign", "DNS:ops.example.org");
        long start = System.nanoTime();
        try (RunningDaemon daemon = start(OPS)) {
            for (int i = 0; i < 100; i++) {
                RpcException refused = catchThrowableOfType(
                        RpcException.class, () -> connect(daemon, "foreign").close());
                assertThat(refused.errno())
                        .as(String.format(Locale.ROOT, "round %d", i))
                        .isEqualTo(Errno.EPERM);
            }
            assertThat(log.list).as("the log is not filled").hasSizeLessThan(most(start));
        }
    }
}
