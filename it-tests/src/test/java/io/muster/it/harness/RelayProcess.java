package io.muster.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.protocol.testing.Pki;
import io.muster.testing.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code muster relay --listen} in a process of its own, as on a login node, with the certificate of login1.example.org. */
public final class RelayProcess implements AutoCloseable {
    public static final String HOST = "login1.example.org";

    private final Path directory;
    private final Pki pki;
    private final int port = Ports.free();
    private @Nullable Process process;

    public RelayProcess(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        pki = Pki.in(directory.resolve("pki"));
        pki.issue("ca", "login1", "DNS:" + HOST);
        Path home = Files.createDirectories(directory.resolve("config/muster"));
        Files.writeString(
                home.resolve("client.toml"),
                "certificate = \"" + pki.file("login1.pem") + "\"\nkey = \"" + pki.file("login1.key") + "\"\nca = \""
                        + pki.file("ca.pem") + "\"\n");
    }

    /** The TOML for the daemon: a listener for the relay, and grants of the CA, the relay's first. */
    public String config(String rights, String... grants) {
        List<String> all = new ArrayList<>(List.of("san = \"" + HOST + "\"\n" + rights));
        all.addAll(List.of(grants));
        return pki.config(all.toArray(String[]::new)).replace("127.0.0.1:0", "127.0.0.1:" + port);
    }

    public Path socket() {
        return directory.resolve("relay");
    }

    /** Starts the process, and waits until it listens. */
    public RelayProcess start(String... jvm) throws IOException {
        List<String> command = new ArrayList<>(List.of(Tool.jdk("java")));
        command.addAll(List.of(jvm));
        command.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-cp"));
        command.add(Jars.classPath());
        command.addAll(List.of("io.muster.cli.Muster", "relay"));
        command.addAll(List.of("--listen=" + socket(), "--to=tls://127.0.0.1:" + port));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("MUSTER_URI");
        builder.environment().put("XDG_CONFIG_HOME", directory.resolve("config").toString());
        Process started = builder.redirectOutput(log().toFile()).start();
        process = started;
        await().atMost(Output.PATIENCE).until(() -> Files.exists(socket()) || !started.isAlive());
        assertThat(started.isAlive()).as("the relay, see %s", log()).isTrue();
        return this;
    }

    private Path log() {
        return directory.resolve("relay.log");
    }

    public boolean isAlive() {
        return process != null && process.isAlive();
    }

    /** Stops the process, and checks that its log has no error. */
    @Override
    public void close() throws IOException {
        if (process != null) {
            process.destroy();
            process.onExit().join();
            assertThat(Files.readString(log())).doesNotContain(" ERROR ", "Exception", "LEAK");
        }
    }
}
