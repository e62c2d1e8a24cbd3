package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.cast.HonestClient;
import io.muster.it.cast.RecordingAdmin;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Peer;
import io.muster.it.harness.Tool;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.wire.Response;
import io.muster.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** A user whom the configuration gives the right to follow, and who is hostile. The daemon belongs to another user. */
@Timeout(600)
@Tag("once")
@Needs("root")
class HostileUsersTest {
    private static final String NOBODY = "65534";
    private static final int STREAMS = 4096;
    private static final int PEERS = 10;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private DaemonProcess daemon() throws Exception {
        Path home = Files.createDirectory(directory.resolve("other"));
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                        home,
                        "initial = \"offline\"",
                        RecordingAdmin.resources(),
                        "[[grant]]\nwho = [\"root\"]\nrights = [\"follow\"]")
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
        try (DaemonProcess daemon = daemon()) {
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
}
