package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.it.cast.HonestClient;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.HttpListener;
import io.muster.it.harness.Output;
import io.muster.it.harness.Peer;
import io.muster.it.harness.RelayProcess;
import io.muster.it.harness.Tool;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Users whom the configuration or a token gives the right to follow, and who are hostile. The daemon belongs to another user. */
@Timeout(600)
@Tag("once")
@Needs("root")
class HostileUsersTest {
    private static final String NOBODY = "65534";
    private static final int STREAMS = 4096;
    private static final int PEERS = 10;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess daemon(String config) throws Exception {
        Path home = Files.createDirectory(directory.resolve("other"));
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        home, "initial = \"offline\"", RecordingAdmin.resources(), config)
                .jvm("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-XX:MaxDirectMemorySize=64m")
                .copyJars()
                .wrapper("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups");
        Tool.run("chown", "-R", NOBODY + ":" + NOBODY, home.toString());
        Tool.run("chmod", "0755", directory.toString(), home.toString());
        return setup.start().expect("WARN peer: root is past a limit");
    }

    private static String waitup(int padding) {
        return "{\"up\": 1, \"x\": \"" + "x".repeat(padding) + "\"}";
    }

    /** Returns the number of responses with an error number until a response to a ping. */
    private static int errors(Peer peer, Errno errno) throws IOException {
        peer.send(Peer.request("resource.ping", "{}", 0, 1_000_000));
        int errors = 0;
        for (Response next = receive(peer); next.matchtag() != 1_000_000; next = receive(peer)) {
            assertThat(next.errnum()).isEqualTo(errno.value());
            errors++;
        }
        return errors;
    }

    private static Response receive(Peer peer) throws IOException {
        return Objects.requireNonNull(peer.receive(), "the connection has ended");
    }

    @Test
    void waitingRequestsOfAUserWhoMayFollowUseLittleMemory() throws Exception {
        List<Peer> peers = new ArrayList<>();
        try (DaemonProcess daemon = daemon("[[grant]]\nwho = [\"root\"]\nrights = [\"follow\"]")) {
            HonestClient honest = HonestClient.guestOf(daemon);
            honest.awaitAnswers(50);
            long before = daemon.peakMegabytes();
            for (int i = 0; i < PEERS; i++) {
                peers.add(Peer.welcomed(daemon.socket()));
            }
            for (int i = 0; i < 128; i++) {
                peers.get(i % PEERS).send(Peer.request("resource.monitor-waitup", waitup(1_000_000), 0, i + 1));
            }
            int refused = 0;
            for (Peer peer : peers) {
                refused += errors(peer, Errno.EINVAL);
            }
            assertThat(refused).isEqualTo(128);
            for (int i = 0; i < STREAMS + 1000; i++) {
                peers.get(i % PEERS).send(Peer.request("resource.monitor-waitup", waitup(4000), 0, 1000 + i));
            }
            refused = 0;
            for (Peer peer : peers) {
                refused += errors(peer, Errno.EAGAIN);
            }
            assertThat(refused)
                    .as("beyond the limit of streams, or a thirty-second of the heap, but at least 2 MiB")
                    .isBetween(1000, 1400);
            honest.awaitAnswers(50);
            long more = daemon.peakMegabytes() - before;
            System.out.println("waiting requests of a hostile user: " + more + " MB more at the peak");
            assertThat(more).as("megabytes more at the peak").isLessThanOrEqualTo(64);
            honest.finish();
            assertThat(daemon.output().lines().stream().filter(line -> line.contains("root is past a limit")))
                    .as("once a minute")
                    .hasSizeLessThan(10);
            daemon.stop();
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    /**
     * The relay and the daemon have 64 MB of heap each. A request may be refused, and a connection that holds too much may be closed; another
     * connection of another user is served all the time.
     */
    @Test
    @Needs("openssl")
    void aUserBehindARelayHarmsNeitherTheRelayNorTheDaemon() throws Exception {
        RelayProcess relay = new RelayProcess(directory.resolve("login1"));
        Tool.run("chown", NOBODY, directory.resolve("login1/pki/server.key").toString());
        String user = "[[grant]]\nwho = [\"" + RelayProcess.HOST + "/root\", \"root\"]\nrights = [\"follow\"]";
        List<Peer> peers = new ArrayList<>();
        try (relay;
                DaemonProcess daemon =
                        daemon(relay.config("rights = [\"follow\", \"speak-for\"]\nroot = true") + user)) {
            relay.start("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m", "-XX:MaxDirectMemorySize=64m");
            HonestClient honest = HonestClient.guestOf(daemon);
            honest.awaitAnswers(50);
            for (int i = 0; i < PEERS; i++) {
                peers.add(Peer.welcomed(relay.socket()));
            }
            for (int i = 0; i < 128; i++) {
                attack(peers.get(i % PEERS), Peer.request("resource.monitor-waitup", waitup(1_000_000), 0, i + 1));
            }
            try (Peer routes = Peer.welcomed(relay.socket())) {
                Request one = Peer.request("resource.monitor-waitup", waitup(1), 0, 1);
                List<String> many = Collections.nCopies(1024, "r");
                routes.send(new Request(one.header(), many, one.topic(), one.payload(), one.nodeid(), one.matchtag()));
                assertThat(receive(routes).errnum()).isEqualTo(Errno.EPROTO.value());
            }
            for (Peer peer : peers) {
                peer.close();
            }
            try (Peer polite = Peer.welcomed(relay.socket())) {
                polite.send(Peer.request("resource.ping", "{}", 0, 1));
                assertThat(receive(polite).errnum()).isZero();
            }
            honest.awaitAnswers(50);
            honest.finish();
            assertThat(relay.isAlive()).isTrue();
            daemon.stop();
        } finally {
            for (Peer peer : peers) {
                peer.close();
            }
        }
    }

    private static void attack(Peer peer, Request request) throws IOException {
        try {
            peer.send(request);
        } catch (IOException closed) {
            assertThat(peer.isGone()).isTrue();
        }
    }

    @Test
    void aStolenTokenOpensItsReadersOfEventsAndTakesThemFromNobodyElse() throws Exception {
        HttpListener http = new HttpListener(Ports.free());
        List<Socket> readers = new ArrayList<>();
        try (DaemonProcess daemon = daemon(http.config()).expect(HttpListener.NOT_YET, " is past a limit, ")) {
            String stolen = Files.readString(http.token(daemon, "stolen", "follow", ""));
            String other = Files.readString(http.token(daemon, "other", "follow", ""));
            await().atMost(Output.PATIENCE).until(() -> status(http, "/v1/status", other, readers) == 200);
            await().atMost(Output.PATIENCE).until(() -> status(http, "/v1/status", stolen, readers) == 200);
            int open = 0;
            int refused = 0;
            for (int i = 0; i < 2300; i++) {
                int status = status(http, "/v1/events", stolen, readers);
                open += status == 200 ? 1 : 0;
                refused += status == 429 ? 1 : 0;
            }
            assertThat(open).isEqualTo(32);
            assertThat(refused).isEqualTo(2300 - 32);
            assertThat(status(http, "/readyz", "", readers)).isEqualTo(200);
            assertThat(status(http, "/v1/status", other, readers)).isEqualTo(200);
            assertThat(status(http, "/v1/events", other, readers)).isEqualTo(200);
            daemon.stop();
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    /** Returns the status of the response to a request on a connection of its own; the connection stays open if the request is served. */
    private static int status(HttpListener http, String path, String token, List<Socket> readers) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), http.port());
        readers.add(socket);
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                + (token.isEmpty() ? "" : "Authorization: Bearer " + token.strip() + "\r\n") + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
        byte[] line = socket.getInputStream().readNBytes("HTTP/1.1 200".length());
        int status = Integer.parseInt(new String(line, StandardCharsets.US_ASCII).substring("HTTP/1.1 ".length()));
        if (status != 200) {
            socket.close();
            readers.remove(socket);
        }
        return status;
    }
}
