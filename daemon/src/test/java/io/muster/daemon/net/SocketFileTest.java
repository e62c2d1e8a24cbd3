package io.muster.daemon.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketFileTest {
    @TempDir
    Path temp;

    private Path path;

    @BeforeEach
    void name() {
        path = temp.resolve("sock");
    }

    private SocketFile claim() throws IOException {
        return SocketFile.claim(path, Instant.EPOCH);
    }

    private ServerSocketChannel listen() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(path));
    }

    @Test
    void ofTwoConcurrentStartsOneClaimsTheSocket() throws IOException {
        SocketFile file = claim();
        assertThatThrownBy(this::claim)
                .isInstanceOf(LockedException.class)
                .hasMessageMatching("socket " + path + " is in use by pid [0-9]+ on \\S+ since 1970-01-01T00:00:00Z");
        file.close();
        claim().close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(temp.resolve("sock.lock"))))
                .isEqualTo("rw-------");
    }

    /** After root has run a daemon once, the owner of the directory must still be able to run one. */
    @Test
    void theLockBelongsToTheOwnerOfTheDirectory() throws IOException {
        boolean root = Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        int owner = root ? 4711 : (Integer) Files.getAttribute(temp, "unix:uid");
        Files.setAttribute(temp, "unix:uid", owner);
        claim().close();
        assertThat(Files.getAttribute(temp.resolve("sock.lock"), "unix:uid")).isEqualTo(owner);
    }

    @Test
    void aSymbolicLinkInPlaceOfTheLockIsRefused() throws IOException {
        Path other = Files.writeString(temp.resolve("other"), "theirs");
        Files.createSymbolicLink(temp.resolve("sock.lock"), other);
        assertThatThrownBy(this::claim).hasMessageContaining("sock.lock: a symbolic link, which is not followed here");
        assertThat(other).hasContent("theirs");
    }

    @Test
    void theSocketOfAKilledDaemonIsRemovedAndOtherFilesAreNot() throws Exception {
        listen().close();
        assertThat(path).exists();
        claim().close();
        assertThat(path).doesNotExist();

        Process fifo = new ProcessBuilder("mkfifo", path.toString()).start();
        assertThat(fifo.waitFor()).isZero();
        isInTheWay();
        Files.delete(path);
        Files.writeString(path, "precious");
        isInTheWay();
        assertThat(path).hasContent("precious");
        Files.delete(path);
        try (ServerSocketChannel real = listen()) {
            assertThat(real.isOpen()).isTrue();
            assertThatThrownBy(this::claim)
                    .hasMessage("another process listens on " + path + ": is another daemon running?");
            Files.move(path, temp.resolve("moved"));
            Files.createSymbolicLink(path, temp.resolve("moved"));
            isInTheWay();
        }
    }

    private void isInTheWay() {
        assertThatThrownBy(this::claim)
                .hasMessage(path + " already exists and is not a socket. Remove it, or name another path");
        assertThat(Files.exists(path)).isTrue();
    }

    @Test
    void aRemovedOrReplacedSocketIsReportedAndNotDeleted() throws IOException {
        SocketFile file = claim();
        try (ServerSocketChannel ours = listen()) {
            assertThat(ours.isOpen()).isTrue();
            file.bound();
            assertThat(file.fault()).isEmpty();
            Files.delete(path);
            assertThat(file.fault())
                    .isEqualTo("the socket " + path + " was removed, so nobody can connect to it: restart the daemon");
            try (ServerSocketChannel others = listen()) {
                assertThat(others.isOpen()).isTrue();
                assertThat(file.fault())
                        .isEqualTo("the socket " + path + " was replaced by another file, so nobody can connect to this"
                                + " daemon by it: find out by whom, and restart the daemon");
                file.close();
                assertThat(path).exists();
                assertThat(file.fault()).as("nobody is to connect any more").isEmpty();
            }
        }
    }
}
