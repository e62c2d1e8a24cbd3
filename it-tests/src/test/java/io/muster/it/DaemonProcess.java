package io.muster.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.client.FluxClient;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A daemon in a process of its own, from the jars that {@code mvn verify} has just packaged. Closing it stops it in order,
 * and fails if it logged a warning or an error that the test did not say it would.
 */
final class DaemonProcess implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** A JVM's answer to SIGTERM. */
    private static final int TERMINATED = 143;

    private static final Pattern BAD = Pattern.compile("^\\S+ (WARN|ERROR) .*");

    private final Path directory;
    private final Process process;
    private final Output output;
    private final List<String> expected = new ArrayList<>();
    private boolean ended;

    private DaemonProcess(Path directory, Process process) {
        this.directory = directory;
        this.process = process;
        this.output = new Output(process.getInputStream());
    }

    /**
     * Writes a configuration with its socket and state in {@code directory}.
     *
     * @param resource what comes first: the tables resource and access
     * @param muster more keys of the table muster
     */
    static Path configure(Path directory, String resource, String... muster) {
        List<String> text = new ArrayList<>(List.of(resource, "[muster]"));
        text.add("socket = \"" + directory + "/muster.sock\"");
        text.add("state-dir = \"" + directory + "/state\"");
        text.addAll(List.of(muster));
        if (text.stream().noneMatch(line -> line.startsWith("metrics"))) {
            text.add("metrics = \"127.0.0.1:0\"");
        }
        try {
            return Files.writeString(directory.resolve("muster.toml"), String.join("\n", text) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String nodes(String hosts) {
        return "[[resource.config]]\nhosts = \"" + hosts + "\"\ncores = \"0-3\"";
    }

    /**
     * Starts without waiting for anything.
     *
     * @param by a command that runs the command that follows it
     */
    static DaemonProcess launch(Path directory, String... by) {
        try {
            List<String> command = new ArrayList<>(List.of(by));
            command.addAll(
                    muster("serve", "-c", directory.resolve("muster.toml").toString()));
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            return new DaemonProcess(directory, process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts and waits until it is ready. */
    static DaemonProcess start(Path directory) {
        DaemonProcess daemon = launch(directory);
        daemon.output.await(" ready socket=", 0, PATIENCE);
        return daemon;
    }

    private static List<String> muster(String... arguments) throws IOException {
        Path target = Path.of("..", "daemon", "target").toAbsolutePath().normalize();
        List<String> jars = new ArrayList<>();
        try (DirectoryStream<Path> own = Files.newDirectoryStream(target, "muster-daemon-*.jar")) {
            own.forEach(jar -> jars.add(jar.toString()));
        }
        assertThat(jars)
                .as("the daemon's jar; these tests are for `mvn verify`, which packages it first")
                .isNotEmpty();
        jars.add(target.resolve("lib") + File.separator + "*");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                String.join(File.pathSeparator, jars),
                "io.muster.daemon.cli.Muster"));
        command.addAll(List.of(arguments));
        return command;
    }

    /** A warning or error that belongs to the test. */
    DaemonProcess expect(String text) {
        expected.add(text);
        return this;
    }

    Path socket() {
        return directory.resolve("muster.sock");
    }

    Path stateDir() {
        return directory.resolve("state");
    }

    long pid() {
        return process.pid();
    }

    Output output() {
        return output;
    }

    FluxClient connect() {
        return connect(socket());
    }

    FluxClient connect(Path to) {
        try {
            return FluxClient.connect("local://" + to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the metrics are. */
    String metricsAddress() {
        String line = output.await(" metrics address=", 0, PATIENCE);
        return line.substring(line.indexOf("address=/") + "address=/".length());
    }

    /** Sends a signal by name and waits for what the log then says. */
    void signal(String name, String thenSays) {
        int from = output.size();
        run("kill", "-" + name, Long.toString(pid()));
        output.await(thenSays, from, PATIENCE);
    }

    /** Sets one of the process's limits, as prlimit(1) writes it. */
    void limit(String resource, String value) {
        run("prlimit", "--pid", Long.toString(pid()), "--" + resource + "=" + value);
    }

    private static void run(String... command) {
        try {
            Process child =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(child.waitFor()).as(said).isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** As a crash or the OOM killer would. */
    void kill() {
        process.toHandle().destroyForcibly();
        awaitEnd();
        check();
    }

    /** Asks it to end, and returns at once. A Process that is destroyed would close its output before we have read it. */
    void terminate() {
        process.toHandle().destroy();
    }

    /** @return the exit status */
    int awaitEnd() {
        ended = true;
        try {
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as(() -> "it does not end:\n" + output)
                    .isTrue();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.toHandle().destroyForcibly();
        }
    }

    private void check() {
        List<String> surprises = output.lines().stream()
                .filter(line ->
                        BAD.matcher(line).matches() || line.startsWith("Exception in") || line.contains("LEAK:"))
                .filter(line -> expected.stream().noneMatch(line::contains))
                .toList();
        assertThat(surprises).as(() -> "of\n" + output).isEmpty();
    }

    @Override
    public void close() {
        if (ended) {
            return;
        }
        terminate();
        assertThat(awaitEnd()).as(output::toString).isEqualTo(TERMINATED);
        output.await(" stopped", 0, PATIENCE);
        check();
    }
}
