package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Tool;
import io.muster.protocol.testing.NotifySocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The daemon's messages to a service manager, on a real sd_notify(3) socket, and the effects of its signals. */
@Timeout(300)
class SystemdTest {
    private static final String WATCHDOG = "WATCHDOG=1";
    private static final String NODES = DaemonProcess.Setup.nodes("node[0-3]");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private DaemonProcess.Setup under(String socket) {
        return DaemonProcess.Setup.in(directory, NODES)
                .wrapper("env", "NOTIFY_SOCKET=" + socket, "WATCHDOG_USEC=400000");
    }

    /** The next state other than the watchdog's. */
    private static String next(NotifySocket manager) throws InterruptedException {
        String state = WATCHDOG;
        while (state.equals(WATCHDOG)) {
            state = manager.received.poll(60, TimeUnit.SECONDS);
            assertThat(state).as("something from the daemon within a minute").isNotNull();
        }
        return state;
    }

    @ParameterizedTest
    @ValueSource(strings = {"path", "abstract"})
    void theDaemonNotifiesTheManagerWhenItIsReadyAliveReloadingAndStopping(String kind) throws Exception {
        String socket = kind.equals("path") ? directory.resolve("notify").toString() : "@muster" + directory;
        try (NotifySocket manager = new NotifySocket(socket);
                DaemonProcess daemon = under(socket).start()) {
            daemon.expect(" ERROR muster: .*muster.toml:2: ", "the configuration was not reloaded");
            assertThat(next(manager)).matches("READY=1\nSTATUS=4 nodes, 4 up, seq \\d+");
            for (int i = 0; i < 3; i++) {
                assertThat(manager.received.take()).isEqualTo(WATCHDOG);
            }
            long before = TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
            daemon.signal("HUP");
            String reloading = next(manager);
            assertThat(reloading).matches("RELOADING=1\nMONOTONIC_USEC=\\d+");
            assertThat(Long.parseLong(reloading.substring(reloading.lastIndexOf('=') + 1)))
                    .as("CLOCK_MONOTONIC, after the signal was sent")
                    .isBetween(before, TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
            assertThat(next(manager)).startsWith("READY=1\nSTATUS=4 nodes, 4 up");

            Files.writeString(directory.resolve("muster.toml"), "[muster]\nbatch = 5 minutes");
            daemon.signal("HUP");
            assertThat(next(manager)).startsWith("RELOADING=1");
            assertThat(next(manager)).as("the old one is in force").startsWith("READY=1\nSTATUS=4 nodes, 4 up");

            daemon.expect(" ERROR peer: the socket .* was removed");
            Files.delete(daemon.socket());
            assertThat(next(manager))
                    .matches("STATUS=4 nodes, 4 up, seq \\d+, the socket .* was removed, so nobody can connect to it:"
                            + " restart the daemon");

            daemon.stop();
            assertThat(next(manager)).isEqualTo("STOPPING=1\nSTATUS=stopping");
            assertThat(manager.received).as("after its end").doesNotContain("READY=1");
        }
    }

    @Test
    void theDaemonContinuesWithoutItsServiceManager() throws Exception {
        String socket = directory.resolve("notify").toString();
        try (NotifySocket manager = new NotifySocket(socket);
                DaemonProcess daemon = under(socket).start()) {
            assertThat(next(manager)).startsWith("READY=1");
            manager.stop();
            daemon.signal("HUP");
            daemon.output().await("configuration reloaded");
            daemon.ask("resource.status");
            daemon.stop();
        }
    }

    @Test
    void signalsDuringTheStopAreIgnored() throws Exception {
        try (DaemonProcess daemon = DaemonProcess.Setup.in(directory, NODES).start()) {
            String signals = "for s in HUP TERM HUP TERM HUP TERM; do kill -$s " + daemon.pid() + " || exit 0; done";
            Tool.run("sh", "-c", signals);
            assertThat(daemon.awaitExit()).isEqualTo(DaemonProcess.TERMINATED);
            assertThat(daemon.output().lines())
                    .filteredOn(line -> line.endsWith("muster: stopped"))
                    .hasSize(1);
            assertThat(directory.resolve("state/snapshot.json")).exists();
        }
        try (DaemonProcess again = DaemonProcess.Setup.in(directory, NODES).start()) {
            again.stop();
        }
    }
}
