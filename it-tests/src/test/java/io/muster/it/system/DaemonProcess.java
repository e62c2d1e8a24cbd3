package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.FluxClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A daemon as an operator runs it: the packaged jars in a process of their own. Its log is kept beside its state. */
final class DaemonProcess implements AutoCloseable {
    /** It says what is missing from the log, so it is right whenever a test is faster than the log. */
    private static final String SLOW_LOG = "changes are in the journal, but not here: the log is too slow";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Setup setup;
    private final Process process;
    private final Thread reader;
    private final List<String> log = new ArrayList<>();
    private boolean logEnded;

    /**
     * How to start one.
     *
     * @param directory holds the configuration, the log, and by default the socket and the state
     * @param config TOML after the keys that every test needs, so inside {@code [muster]} at first
     * @param jvm options
     * @param wrapper a command that runs the rest of its line, as prlimit(1)
     */
    record Setup(Path directory, String config, List<String> jvm, List<String> wrapper) {
        private static final List<String> QUICK_START =
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx128m");

        static Setup in(Path directory, String... config) {
            return new Setup(directory, String.join("\n", config), QUICK_START, List.of());
        }

        Setup jvm(String... options) {
            return new Setup(directory, config, List.of(options), wrapper);
        }

        Setup wrapper(String... command) {
            return new Setup(directory, config, jvm, List.of(command));
        }

        Path socket() {
            return directory.resolve("sock");
        }

        Path stateDir() {
            return directory.resolve("state");
        }

        DaemonProcess spawn() throws IOException {
            Path toml = Files.writeString(
                    directory.resolve("muster.toml"),
                    "[muster]\nsocket = \"" + socket() + "\"\nstate-dir = \"" + stateDir() + "\"\n"
                            + (config.contains("metrics") ? "" : "metrics = \"off\"\n") + config + "\n");
            List<String> command = new ArrayList<>(wrapper);
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(jvm);
            command.addAll(List.of(
                    "-XX:+ExitOnOutOfMemoryError",
                    "-XX:-UsePerfData",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    classPath(),
                    "io.muster.daemon.cli.Muster",
                    "serve",
                    "-c",
                    toml.toString()));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().keySet().removeAll(List.of("NOTIFY_SOCKET", "JOURNAL_STREAM"));
            return new DaemonProcess(this, builder.start());
        }

        DaemonProcess start() throws IOException, InterruptedException {
            DaemonProcess daemon = spawn();
            daemon.awaitReady();
            return daemon;
        }

        /** The daemon gets jars of its own: those of the build may be where only their owner can read. */
        Setup copyJars() throws IOException {
            Path jars = Files.createDirectory(directory.resolve("jars"));
            for (Path jar : jars()) {
                Files.copy(jar, jars.resolve(jar.getFileName()));
            }
            return this;
        }

        private String classPath() throws IOException {
            Path copies = directory.resolve("jars");
            return Files.exists(copies)
                    ? copies + "/*"
                    : jars().stream().map(Path::toString).collect(Collectors.joining(":"));
        }

        /** The tests of this module run after the daemon's package was made. */
        private static List<Path> jars() throws IOException {
            Path target = Path.of("../daemon/target").toRealPath();
            Path daemon = target.resolve("muster-daemon-0.1.0.jar");
            assertThat(daemon)
                    .as("the packaged daemon; mvn package -pl daemon -am makes it")
                    .exists();
            try (Stream<Path> libraries = Files.list(target.resolve("lib"))) {
                return Stream.concat(Stream.of(daemon), libraries).toList();
            }
        }
    }

    private DaemonProcess(Setup setup, Process process) {
        this.setup = setup;
        this.process = process;
        this.reader = new Thread(this::readLog, "log of " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    private void readLog() {
        try (BufferedReader in =
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
                Writer copy = Files.newBufferedWriter(
                        setup.directory.resolve("log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                copy.append(line).append('\n').flush();
                synchronized (log) {
                    log.add(line);
                    log.notifyAll();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            synchronized (log) {
                logEnded = true;
                log.notifyAll();
            }
        }
    }

    void awaitReady() throws InterruptedException {
        awaitLine("ready socket=");
    }

    /** Waits until the log has a line with {@code part} in it. */
    void awaitLine(String part) throws InterruptedException {
        awaitLines(part, 1);
    }

    void awaitLines(String part, int count) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        synchronized (log) {
            while (log.stream().filter(line -> line.contains(part)).count() < count) {
                long rest = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                assertThat(logEnded || rest <= 0)
                        .as("no line \"%s\" (%d times) in the log %s", part, count, String.join("\n", log))
                        .isFalse();
                log.wait(Math.max(1, rest));
            }
        }
    }

    List<String> log() {
        synchronized (log) {
            return List.copyOf(log);
        }
    }

    /** @param expected regular expressions for lines of WARN and ERROR that this test brings about */
    void expectNoWarningsBut(String... expected) {
        List<Pattern> patterns = Stream.concat(Stream.of(SLOW_LOG), Stream.of(expected))
                .map(Pattern::compile)
                .toList();
        assertThat(log())
                .as("log of %s", setup.directory)
                .filteredOn(line -> line.contains(" WARN ") || line.contains(" ERROR ") || line.contains("Exception"))
                .filteredOn(
                        line -> patterns.stream().noneMatch(p -> p.matcher(line).find()))
                .isEmpty();
    }

    String uri() {
        return "local://" + setup.socket();
    }

    FluxClient connect() throws IOException {
        return FluxClient.connect(uri());
    }

    /** One question on a connection of its own. */
    ObjectNode ask(String topic) throws IOException {
        try (FluxClient client = connect()) {
            return client.rpc(topic, null);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** As a crash of the process, or the kernel's OOM killer, ends it. */
    void kill() throws InterruptedException {
        process.toHandle().destroyForcibly();
        process.waitFor();
        reader.join();
    }

    /** SIGTERM, and the exit status. */
    int stop() throws InterruptedException {
        process.toHandle().destroy(); // the process's own method would close its log under the reader
        return awaitExit();
    }

    int awaitExit() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .as("ends within %s", PATIENCE)
                .isTrue();
        reader.join();
        return process.exitValue();
    }

    /** @param name as kill(1) takes it */
    void signal(String name) throws IOException, InterruptedException {
        run("kill", "-" + name, Long.toString(pid()));
    }

    static void run(String... command) throws IOException, InterruptedException {
        Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tool.waitFor())
                .as("%s: %s", String.join(" ", command), output)
                .isZero();
    }

    /** Megabytes in memory now. */
    long residentMegabytes() throws IOException {
        return status("VmRSS:") / 1024;
    }

    long threads() throws IOException {
        return status("Threads:");
    }

    private long status(String key) throws IOException {
        return Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status")).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow();
    }

    /** The hard limit of a process. */
    static long mostOpenFiles(long pid) throws IOException {
        String line = Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
                .filter(limit -> limit.startsWith("Max open files"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.trim().split(" +")[4]);
    }

    int openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
            return (int) files.count();
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "daemon %d in %s", pid(), setup.directory);
    }

    /** Whatever became of the test, the process ends with it. */
    @Override
    public void close() {
        process.toHandle().destroyForcibly();
        boolean interrupted = Thread.interrupted();
        try {
            process.waitFor();
            reader.join();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
