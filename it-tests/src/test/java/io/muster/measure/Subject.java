package io.muster.measure;

import io.muster.cli.terminal.Pause;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A daemon started for one measurement: a process with a directory that is deleted when the process has ended. */
final class Subject implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long PAUSE_MILLIS = 5;
    private static final AtomicInteger NEXT_PORT =
            new AtomicInteger(10_000 + (int) (ProcessHandle.current().pid() * 97 % 20_000));

    private final Path directory;
    private final String config;
    private final int port;
    private final Process process;
    private final double readyMillis;

    private Subject(Path directory, String config, int port, Process process, double readyMillis) {
        this.directory = directory;
        this.config = config;
        this.port = port;
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
        int port = freePort();
        String config = config(directory, ranks, port);
        Files.writeString(directory.resolve("muster.toml"), config);
        List<String> line = new ArrayList<>(List.of("env", "--default-signal=HUP")); // nohup may have started this
        line.addAll(command);
        line.addAll(
                List.of("serve", "--config", directory.resolve("muster.toml").toString()));
        long start = System.nanoTime();
        Process process = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("log").toFile())
                .start();
        Subject subject = new Subject(directory, config, port, process, 0);
        try {
            subject.awaitAnswer(start);
        } catch (IOException | RuntimeException e) {
            String log = Files.readString(directory.resolve("log"));
            subject.close();
            throw new IOException("the daemon did not start:\n" + log, e);
        }
        return new Subject(directory, config, port, process, (System.nanoTime() - start) / 1e6);
    }

    /**
     * Returns a free port that the kernel gives to no outgoing connection: in Linux, those have the ports from 32768. The class Ports of the
     * tests is not on the class path of {@code muster bench}.
     */
    private static int freePort() throws IOException {
        for (int tries = 0; tries < 1000; tries++) {
            int next = NEXT_PORT.getAndIncrement();
            try (ServerSocket free = new ServerSocket(next, 1, InetAddress.getLoopbackAddress())) {
                return free.getLocalPort();
            } catch (BindException taken) {
                // the next one
            }
        }
        throw new IOException("no port up to " + NEXT_PORT + " is free");
    }

    private static String config(Path directory, int ranks, int port) {
        return String.format(Locale.ROOT, """
                [muster]
                socket = "%1$s/s"
                state-dir = "%1$s/state"
                metrics = "127.0.0.1:%3$d"
                acquire = "shared"
                log-level = "warn"
                [[resource.config]]
                hosts = "node[0-%2$d]"
                cores = "0-63"
                gpus = "0-7"
                """, directory, ranks - 1, port);
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

    /** Returns the metrics. */
    String scrape() throws IOException {
        try (InputStream in =
                URI.create("http://127.0.0.1:" + port + "/metrics").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /**
     * Makes the daemon read its configuration again, and waits until it has done so.
     *
     * @param more what is added to the configuration of the start
     */
    void hangup(String more) throws IOException {
        Files.writeString(directory.resolve("muster.toml"), config + more);
        String before = reloaded();
        new ProcessBuilder("sh", "-c", "kill -HUP " + process.pid()).start();
        String now = before;
        while (now.equals(before)) {
            Pause.of(PAUSE_MILLIS);
            now = reloaded();
        }
        if (!now.contains("successful 1")) {
            throw new IOException(
                    "the daemon refuses the configuration:\n" + Files.readString(directory.resolve("log")));
        }
    }

    private String reloaded() throws IOException {
        return scrape().lines()
                .filter(line -> line.startsWith("muster_config_last_reload"))
                .collect(Collectors.joining("\n"));
    }

    /** Returns the processor time that the core thread has used, as the kernel counts it. */
    long coreNanos() throws IOException {
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "task"))) {
            long nanos = 0;
            for (Path thread : threads) {
                if (isCore(thread)) {
                    nanos += Long.parseLong(
                            Files.readString(thread.resolve("schedstat")).split(" ", 2)[0]);
                }
            }
            return nanos;
        }
    }

    private static boolean isCore(Path thread) {
        try {
            return Files.readString(thread.resolve("comm")).equals("core\n");
        } catch (IOException ended) {
            return false; // another thread, because the core thread lasts as long as the process
        }
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
