package io.muster.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A daemon as an operator runs it: the packaged jars in a separate process, with its log beside its state. After every end of the process,
 * this class reads the log; a warning or an error that the test did not {@link #expect} fails the test.
 */
public final class DaemonProcess implements AutoCloseable {
    /** The exit status of a JVM after SIGTERM. */
    public static final int TERMINATED = 143;

    private static final Pattern BAD = Pattern.compile("^\\S+ (WARN|ERROR) |Exception|LEAK:");

    /** A warning that every test permits: changes may be faster than the log, and then the warning has the number of omitted lines. */
    private static final String SLOW_LOG = "changes were journaled but not logged: the log is too slow";

    /** A warning if the test is slower than the log. */
    private static final String UNREAD_LOG = "log lines were dropped here, because nobody read the log";

    /** Options with a long timeout: a slow disk or machine is no reason to fail. */
    private static final Options PATIENT = Options.DEFAULT.withTimeout(Output.PATIENCE);

    private final Setup setup;
    private final Process process;
    private final Output output;
    private final List<Pattern> expected = new ArrayList<>();
    private boolean ended;

    /**
     * The settings of a daemon.
     *
     * @param directory holds the configuration, the log, the socket and the state
     * @param config TOML after the keys that every test needs, so inside {@code [muster]} at first
     * @param jvm options of the JVM
     * @param wrapper a command that runs the rest of its line, like prlimit(1)
     */
    public record Setup(Path directory, String config, List<String> jvm, List<String> wrapper) {
        private static final List<String> QUICK_START =
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms16m", "-Xmx128m");

        public static Setup in(Path directory, String... config) {
            return new Setup(directory, String.join("\n", config), QUICK_START, List.of());
        }

        /** Hosts with four cores each. */
        public static String nodes(String hosts) {
            return "[[resource.config]]\nhosts = \"" + hosts + "\"\ncores = \"0-3\"";
        }

        public Setup jvm(String... options) {
            return new Setup(directory, config, List.of(options), wrapper);
        }

        /** Starts and stops this daemon, and returns a setup that loads the classes of this run from an archive, as the launcher does. */
        public Setup trained() {
            Path archive = directory.resolve("daemon.jsa");
            andJvm("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable")
                    .start()
                    .expect(".") // the test is not about this run
                    .close();
            return andJvm("-XX:SharedArchiveFile=" + archive);
        }

        private Setup andJvm(String... options) {
            return jvm(Stream.concat(jvm.stream(), Stream.of(options)).toArray(String[]::new));
        }

        public Setup wrapper(String... command) {
            return new Setup(directory, config, jvm, List.of(command));
        }

        public Path socket() {
            return directory.resolve("sock");
        }

        public Path stateDir() {
            return directory.resolve("state");
        }

        /** Writes the configuration, also for a daemon that runs already. */
        public Path write() {
            String metrics = config.contains("metrics =") ? "" : "metrics = \"off\"\n";
            try {
                return Files.writeString(
                        directory.resolve("muster.toml"),
                        "[muster]\nsocket = \"" + socket() + "\"\nstate-dir = \"" + stateDir() + "\"\n" + metrics
                                + config + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Starts the process, and does not wait until it is ready. */
        public DaemonProcess spawn() {
            List<String> command =
                    new ArrayList<>(List.of("env", "--default-signal=HUP")); // a build may have been started by nohup
            command.addAll(wrapper);
            command.add(Tool.jdk("java"));
            command.addAll(jvm);
            command.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-XX:-UsePerfData"));
            command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath()));
            command.addAll(List.of("io.muster.cli.Muster", "serve", "-c", write().toString()));
            ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
            builder.environment().keySet().removeAll(List.of("NOTIFY_SOCKET", "JOURNAL_STREAM"));
            try {
                Process process = builder.start();
                process.getOutputStream().close();
                return new DaemonProcess(this, process);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        public DaemonProcess start() {
            DaemonProcess daemon = spawn();
            try {
                daemon.output.await(" ready socket=");
                return daemon;
            } catch (AssertionError e) {
                daemon.process.toHandle().destroyForcibly();
                throw e;
            }
        }

        /** Gives the daemon its own copy of the jars, because those of the build may be readable by their owner only. */
        public Setup copyJars() throws IOException {
            Path jars = Files.createDirectory(directory.resolve("jars"));
            for (Path jar : Jars.all()) {
                Files.copy(jar, jars.resolve(jar.getFileName()));
            }
            return this;
        }

        private String classPath() {
            Path copies = directory.resolve("jars");
            return Files.exists(copies) ? copies + "/*" : Jars.classPath();
        }
    }

    private DaemonProcess(Setup setup, Process process) {
        this.setup = setup;
        this.process = process;
        this.output = new Output(process.getInputStream(), setup.directory.resolve("log"));
        expect(SLOW_LOG, UNREAD_LOG);
    }

    /** @param regexes match lines of WARN and ERROR that this test causes */
    public DaemonProcess expect(String... regexes) {
        for (String regex : regexes) {
            expected.add(Pattern.compile(regex));
        }
        return this;
    }

    public Output output() {
        return output;
    }

    public Path socket() {
        return setup.socket();
    }

    public Path stateDir() {
        return setup.stateDir();
    }

    public long pid() {
        return process.pid();
    }

    public FluxClient connect() throws IOException {
        return connect(socket());
    }

    public FluxClient connect(Path to) throws IOException {
        return FluxClient.connect("local://" + to, PATIENT);
    }

    /** Sends one request on a separate connection. */
    public ObjectNode ask(String topic) throws IOException {
        try (FluxClient client = connect()) {
            return client.rpc(topic, null);
        }
    }

    /** The response of the HTTP endpoint for a path; needs the key {@code metrics}. */
    public String get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address(path)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** The URI of a path on the HTTP endpoint; needs the key {@code metrics}. */
    public URI address(String path) {
        String line = output.await(" metrics address=");
        return URI.create("http://" + line.substring(line.indexOf("address=") + "address=".length()) + path);
    }

    /** @param name a name that kill(1) accepts */
    public void signal(String name) {
        Tool.run("sh", "-c", "kill -" + name + " " + pid());
    }

    /** Sends a signal and waits for a text in the log. */
    public void signal(String name, String thenSays) {
        int from = output.size();
        signal(name);
        output.await(thenSays, from);
    }

    /** Sets one of the process's limits, in the syntax of prlimit(1). */
    public void limit(String resource, String value) {
        Tool.run("prlimit", "--pid", Long.toString(pid()), "--" + resource + "=" + value);
    }

    // ---- the end

    /** Kills the process, as a crash or the kernel's OOM killer would. */
    public void kill() {
        process.toHandle().destroyForcibly();
        awaitExit();
    }

    /** Sends SIGTERM and waits for an orderly end. */
    public void stop() {
        process.toHandle().destroy(); // Process.destroy would close the output before it is read
        assertThat(awaitExit()).as("exit status of\n%s", output).isEqualTo(TERMINATED);
        output.await(" stopped");
    }

    /** @return the exit status */
    public int awaitExit() {
        ended = true;
        try {
            assertThat(process.waitFor(Output.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .as("it does not end:\n%s", output)
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            process.toHandle().destroyForcibly();
        }
        output.awaitEnd();
        assertThat(output.lines())
                .as("surprises in the log in %s", setup.directory)
                .filteredOn(line -> BAD.matcher(line).find())
                .filteredOn(
                        line -> expected.stream().noneMatch(p -> p.matcher(line).find()))
                .isEmpty();
        return process.exitValue();
    }

    /** Stops the daemon if the test has not ended it. */
    @Override
    public void close() {
        if (!ended) {
            stop();
        }
    }

    // ---- resources used

    /** Resident memory in megabytes. */
    public long residentMegabytes() throws IOException {
        return status("VmRSS:") / 1024;
    }

    /** The most resident memory so far, in megabytes. */
    public long peakMegabytes() throws IOException {
        return status("VmHWM:") / 1024;
    }

    /** Reachable bytes in the heap, counted by the JVM after a full collection. */
    public long liveBytes() {
        String histogram = Tool.run(Tool.jdk("jcmd"), Long.toString(pid()), "GC.class_histogram");
        Matcher total = Pattern.compile("(?m)^Total +[0-9]+ +([0-9]+)").matcher(histogram);
        assertThat(total.find()).as(histogram).isTrue();
        return Long.parseLong(total.group(1));
    }

    public long threads() throws IOException {
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

    /** The hard limit on the open files of a process. */
    public static long mostOpenFiles(long pid) throws IOException {
        String line = Files.readAllLines(Path.of("/proc", Long.toString(pid), "limits")).stream()
                .filter(limit -> limit.startsWith("Max open files"))
                .findFirst()
                .orElseThrow();
        return Long.parseLong(line.trim().split(" +")[4]);
    }

    public int openFiles() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid()), "fd"))) {
            return (int) files.count();
        }
    }

    @Override
    public String toString() {
        return "daemon " + pid() + " in " + setup.directory;
    }
}
