package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Jars;
import io.muster.it.harness.RelayProcess;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.testing.Needs;
import io.muster.testing.Ports;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The command on another host, which reaches the daemon through ssh and {@code muster relay}. */
@Timeout(600)
class RelayTest {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private Path script(String name, String text) throws IOException {
        Path script = Files.writeString(directory.resolve(name), "#!/bin/sh\n" + text + "\n");
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }

    /** The command {@code muster}, without the launcher, which would build the jars. */
    private Path muster() throws IOException {
        String jars = Jars.classPath();
        return script("muster", "exec " + Tool.jdk("java") + " -cp " + jars + " io.muster.cli.Muster \"$@\"");
    }

    /** A program that runs the words behind the host as ssh does, on this host. */
    private Path here() throws IOException {
        return script("here", "while [ \"$1\" = -p ]; do shift 2; done; shift; exec sh -c \"$*\"");
    }

    private static ProcessBuilder command(String ssh, Path muster, String uri, String... words) {
        ProcessBuilder command = new ProcessBuilder(muster.toString()).redirectErrorStream(true);
        command.command().addAll(List.of(words));
        command.environment().put("MUSTER_URI", uri);
        command.environment().put("MUSTER_SSH", ssh);
        command.environment().put("MUSTER_SSH_RCMD", muster.toString());
        return command;
    }

    @Test
    @Needs({"ssh", "sshd"})
    void theCommandReachesTheDaemonThroughARealSshd() throws Exception {
        Files.createDirectories(Path.of("/run/sshd")); // sshd may require this directory, and only root may create it
        for (String key : List.of("host", "id")) {
            Tool.run(
                    "ssh-keygen",
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    directory.resolve(key).toString());
        }
        int port = Ports.free();
        Path config =
                Files.writeString(directory.resolve("sshd_config"), String.format(Locale.ROOT, """
                ListenAddress 127.0.0.1
                Port %d
                HostKey %2$s/host
                AuthorizedKeysFile %2$s/id.pub
                StrictModes no
                UsePAM no
                PidFile none
                """, port, directory));
        Process sshd = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("sshd.log").toFile())
                .start();
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"));
        try (DaemonProcess daemon = setup.start()) {
            await().atMost(PATIENCE).until(() -> answers(port));
            String ssh = "ssh -F none -q -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i "
                    + directory.resolve("id");
            String uri = "ssh://" + System.getProperty("user.name") + "@127.0.0.1:" + port + daemon.socket();
            Path muster = muster();
            Tool.run(command(ssh, muster, uri, "drain", "node1", "bad", "dimm"));
            assertThat(Tool.run(command(ssh, muster, uri, "why", "node1")))
                    .contains("bad dimm", System.getProperty("user.name"));
        } finally {
            sshd.destroy();
            sshd.waitFor();
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void theEndOfTheDaemonEndsTheCommandAndItsRelay() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-16383]"));
        try (DaemonProcess daemon = setup.start();
                FluxClient admin = daemon.connect()) {
            String uri = "ssh://mgmt1" + daemon.socket();
            Process scheduler =
                    command(here().toString(), muster(), uri, "acquire").start();
            try (BufferedReader responses = scheduler.inputReader(StandardCharsets.UTF_8)) {
                assertThat(responses.readLine()).contains("\"up\":\"0-16383\"");
                admin.rpc(
                        "resource.drain", JsonNodeFactory.instance.objectNode().put("targets", "7"));
                assertThat(responses.readLine()).contains("\"down\":\"7\"");
                List<ProcessHandle> relays = scheduler.descendants().toList();
                assertThat(relays).isNotEmpty();
                daemon.kill();
                assertThat(responses.readLine()).contains("closed the connection");
                assertThat(scheduler.waitFor()).isEqualTo(7);
                for (ProcessHandle relay : relays) {
                    relay.onExit().join();
                }
            } finally {
                scheduler.destroyForcibly();
            }
        }
    }

    /** Waits until a relay has reached the daemon: it fails a request that has waited for the daemon for 5 s. */
    private static void awaitAnswer(Path relay) {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (FluxClient client = FluxClient.connect("local://" + relay)) {
                return !client.rpc("resource.status", null).isEmpty();
            }
        });
    }

    private static boolean isReleased(FluxClient admin) throws IOException {
        return admin.rpc("resource.state", null).path("schedulers").isEmpty();
    }

    /** The relay of a login node with a scheduler behind it, while the daemon is killed and started again. */
    @Test
    @Needs("openssl")
    void aRelayOverTlsKeepsItsSchedulerDuringARestartOfTheDaemon() throws Exception {
        RelayProcess relay = new RelayProcess(directory.resolve("login1"));
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(
                directory,
                DaemonProcess.Setup.nodes("node[0-16383]"),
                relay.config(
                        "rights = [\"follow\", \"change\", \"acquire\", \"speak-for\"]",
                        "san = \"ops.example.org\"\nrights = [\"change\"]"));
        Path socket = relay.socket();
        DaemonProcess daemon = setup.start();
        try {
            relay.start();
            Process scheduler =
                    command("false", muster(), socket.toString(), "acquire").start();
            try (BufferedReader responses = scheduler.inputReader(StandardCharsets.UTF_8)) {
                assertThat(responses.readLine()).contains("\"up\":\"0-16383\"");
                daemon.kill();
                daemon = setup.start();
                awaitAnswer(socket);
                Tool.run(command("false", muster(), socket.toString(), "drain", "node7", "bad", "fan"));
                assertThat(responses.readLine()).contains("\"down\":\"7\"");
                assertThat(Tool.run(command("false", muster(), socket.toString(), "why", "node7")))
                        .contains("bad fan", "login1.example.org/" + System.getProperty("user.name"));
            } finally {
                scheduler.destroy();
                scheduler.waitFor();
            }
            try (FluxClient admin = daemon.connect()) {
                await().atMost(PATIENCE).until(() -> isReleased(admin));
            }
        } finally {
            relay.close();
            daemon.close();
        }
    }

    @Test
    void aKilledCommandLeavesNoRelay() throws Exception {
        DaemonProcess.Setup setup = DaemonProcess.Setup.in(directory, DaemonProcess.Setup.nodes("node[0-3]"));
        try (DaemonProcess daemon = setup.start()) {
            Process scheduler = command(here().toString(), muster(), "ssh://mgmt1" + daemon.socket(), "acquire")
                    .start();
            try (BufferedReader responses = scheduler.inputReader(StandardCharsets.UTF_8)) {
                assertThat(responses.readLine()).contains("\"up\":\"0-3\"");
                List<ProcessHandle> relays = scheduler.descendants().toList();
                scheduler.destroyForcibly();
                for (ProcessHandle relay : relays) {
                    relay.onExit().join();
                }
            }
            try (FluxClient admin = daemon.connect()) {
                await().atMost(PATIENCE).until(() -> isReleased(admin));
            }
        }
    }
}
