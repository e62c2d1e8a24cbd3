package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.journal.disk.LockedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that cannot listen says which key of the configuration to change, and has written nothing. */
class AddressesTest {
    @TempDir
    private Path directory;

    private void refused(String toml, String sentence) throws IOException {
        Path file = Files.writeString(
                directory.resolve("muster.toml"), "[muster]\nsocket = \"s\"\nstate-dir = \"state\"\n" + toml);
        Config config = Config.load(file, Environment.ofProcess());
        assertThatThrownBy(() -> Addresses.requireFree(config))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(sentence);
    }

    @Test
    void aPortInUseIsRefusedByItsKeyBeforeAnythingIsWritten() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + other.getLocalPort();
            refused(
                    "metrics = \"" + address + "\"\n",
                    "muster.metrics: cannot listen on " + address + ": Address already");
            String api = "[[listen]]\nhttp = \"" + address + "\"\n";
            refused("metrics = \"off\"\n" + api, "[[listen]] http: cannot listen on " + address + ": Address already");
            String files = "certificate = \"c\"\nkey = \"k\"\n";
            refused("[[listen]]\ntls = \"" + address + "\"\n" + files, "[[listen]] tls: cannot listen on " + address);
            refused(
                    "[[listen]]\nhttps = \"" + address + "\"\n" + files,
                    "[[listen]] https: cannot listen on " + address);
            assertThatThrownBy(() -> RunningDaemon.start(directory, api))
                    .hasMessageStartingWith("[[listen]] http: cannot listen on ");
        }
        assertThat(directory.resolve("state")).doesNotExist();
        assertThat(directory.resolve("s")).doesNotExist();
    }

    @Test
    void aSocketInUseIsRefusedByItsKeyBeforeAnythingIsWritten() throws Exception {
        Path there = Files.createDirectory(directory.resolve("other"));
        Files.createDirectory(directory.resolve("d"));
        try (RunningDaemon other = RunningDaemon.start(there, "[[listen]]\nhttp-socket = \"h\"\n")) {
            String inUse = ": another process listens on " + there.resolve("s") + ": is another daemon running?";
            refused("admin-socket = \"other/s\"\n", "muster.admin-socket" + inUse);
            refused("[[listen]]\nhttp-socket = \"other/s\"\n", "[[listen]] http-socket" + inUse);
            refused(
                    "admin-socket = \"d\"\n",
                    "muster.admin-socket: " + directory.resolve("d") + " already exists and is");
            assertThat(directory.resolve("state")).doesNotExist();
            // Another daemon on the same state directory is the reason why its sockets are in use.
            assertThatThrownBy(() -> RunningDaemon.start(there, ""))
                    .isInstanceOf(LockedException.class)
                    .hasMessageContaining("state directory");
            assertThat(other.stateDir().resolve("lock")).isNotEmptyFile();
        }
    }
}
