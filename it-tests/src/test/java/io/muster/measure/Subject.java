package io.muster.measure;

import io.muster.cli.terminal.Pause;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A daemon started for one measurement: a process with a directory that is deleted when the process has ended. */
final class Subject implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_MILLIS = 5;

    private final Path directory;
    private final Process process;
    private final double readyMillis;

    private Subject(Path directory, Process process, double readyMillis) {
        this.directory = directory;
        this.process = process;
        this.readyMillis = readyMillis;
    }

    /**
     * @param command the words before `serve --config FILE`
     * @param under the parent of the daemon's directory
     */
    static Subject start(List<String> command, Path under, int ranks) throws IOException {
        // Made absolute, because a relative path in a configuration is relative to the configuration file.
        Path directory = Files.createTempDirectory(under.toAbsolutePath(), "muster-bench");
        Files.writeString(directory.resolve("muster.toml"), config(directory, ranks));
        List<String> line = new ArrayList<>(command);
        line.addAll(
                List.of("serve", "--config", directory.resolve("muster.toml").toString()));
        long start = System.nanoTime();
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Subject subject = new Subject(directory, process, 0);
        try {
            subject.awaitAnswer(start);
        } catch (IOException | RuntimeException e) {
            String log = Files.readString(directory.resolve("log"));
            subject.close();
            throw new IOException("the daemon did not start:\n" + log, e);
        }
        return new Subject(directory, process, (System.nanoTime() - start) / 1e6);
    }

    private static String config(Path directory, int ranks) {
        return String.format(Locale.ROOT, """
                [muster]
                socket = "%1$s/s"
                state-dir = "%1$s/state"
                metrics = "off"
                acquire = "shared"
                log-level = "warn"
                [[resource.config]]
                hosts = "node[0-%2$d]"
                cores = "0-63"
                gpus = "0-7"
                """, directory, ranks - 1);
    }

    /** Waits until the daemon answers, with short pauses that do not grow: longer ones would become part of the measured time. */
    private void awaitAnswer(long start) throws IOException {
        Options once = Options.DEFAULT.withTimeout(PATIENCE).withAttempts(1, Duration.ZERO);
        for (; ; ) {
            try (FluxClient client = FluxClient.connect(uri(), once)) {
                client.rpc("resource.stats-get", null);
                return;
            } catch (ConnectException e) {
                if (!process.isAlive() || System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw e;
                }
                Pause.of(PAUSE_MILLIS);
            }
        }
    }

    String uri() {
        return "local://" + directory.resolve("s");
    }

    double readyMillis() {
        return readyMillis;
    }

    Path directory() {
        return directory;
    }

    double residentMegabytes() throws IOException {
        return Idle.residentMegabytes(process);
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
