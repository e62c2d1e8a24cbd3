package io.muster.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.muster.cli.ask.NamedDaemon;
import io.muster.cli.ask.ServerOptions;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Exit;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Terminal;
import io.muster.cli.terminal.Verb;
import io.muster.daemon.config.Config;
import io.muster.daemon.config.Environment;
import io.muster.daemon.config.SourceFile;
import io.muster.inventory.problem.InvalidException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLConnection;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code muster support}. */
@Command(
        name = "support",
        description = {
            "Write an archive with the information that a developer needs to find a fault.",
            "The archive has the version, the configuration, the inventory, the check of the journal, the last 10,000 lines"
                    + " of the log (journalctl), the metrics and a dump of the daemon's threads (jcmd). It works if the"
                    + " daemon is down or does not answer: the file MISSING and standard error name what is missing. Only"
                    + " you can read the archive. It contains host names, user names and reasons. Lines of the configuration,"
                    + " comments too, that have the word password, passwd, passphrase, secret, token, credential or private,"
                    + " or a key whose name has the word key or auth, are replaced, and so are their values of six characters or more"
                    + " in all files. In all files, users and passwords in URIs and values that are assigned to such names are"
                    + " replaced."
        },
        footer = {
            "  muster support",
            "  muster support /tmp/muster.tar.gz",
            "  muster support -c /etc/muster/muster.toml"
        })
final class Support extends Verb {
    private static final int LOG_LINES = 10_000;
    private static final int MOST_BYTES = 64 << 20;
    private static final long PART_SECONDS = 20;
    /** Less, so that a part that fails leaves no program behind. */
    private static final long PROGRAM_SECONDS = 15;

    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT);
    private static final Pattern PID = Pattern.compile("pid (\\d+) on (\\S+) since ");

    private final Environment environment;
    private final Map<String, byte[]> parts = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();
    private final Set<String> secrets = ConcurrentHashMap.newKeySet();

    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "Write the archive to this new file. Default: muster-support-TIME.tar.gz in this directory.")
    private @Nullable Path file;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Configuration of the daemon. Default: the file that `muster serve` reads.")
    private @Nullable Path config;

    @Mixin
    private final ServerOptions server = new ServerOptions();

    Support(Console console, Environment environment) {
        super(console);
        this.environment = environment;
    }

    @Override
    public Integer call() throws IOException {
        refuseAnother();
        Instant now = console().clock().instant();
        String name = "muster-support-" + STAMP.format(now.atOffset(ZoneOffset.UTC));
        Path target = file == null ? Path.of(name + ".tar.gz") : file;
        try (OutputStream out = create(target)) {
            collect();
            write(out, name, now.getEpochSecond());
        } catch (IOException e) {
            Files.deleteIfExists(target);
            throw e;
        }
        missing.forEach((part, reason) -> console().complain("muster support: " + part + " is missing: " + reason));
        console().println(target.toString());
        return Exit.OK;
    }

    /** Refuses a configuration of another daemon than the one that is asked. A daemon that does not answer is no reason to refuse. */
    private void refuseAnother() throws IOException {
        try {
            new NamedDaemon(server, console())
                    .require(
                            Config.load(config, environment),
                            "run this on the host of the daemon, or name its configuration with -c");
        } catch (InvalidException unusable) {
            // The archive has the configuration and its faults.
        } catch (Failure other) {
            if (other.exit() == Exit.CONFLICT) {
                throw other;
            }
        }
    }

    private static OutputStream create(Path target) throws IOException {
        try {
            return Channels.newOutputStream(Files.newByteChannel(
                    target,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
        } catch (FileAlreadyExistsException e) {
            throw new Failure(Exit.ERROR, target + " exists already", "name a new file");
        }
    }

    private void collect() {
        add("version.txt", () -> run("version"));
        add("system.txt", this::system);
        add("disk.txt", this::disk);
        add("status.json", () -> run("status", "--json"));
        add("upgrade.txt", () -> run("upgrade", "status"));
        add("check.txt", () -> run(false, withConfig("check", "--effective")));
        add("journal.txt", () -> run(false, withConfig("journal", "verify")));
        add("config", this::configuration);
        add(
                "log.txt",
                () -> Program.run(
                        PROGRAM_SECONDS,
                        "journalctl",
                        "-u",
                        "muster",
                        "-n",
                        Integer.toString(LOG_LINES),
                        "--no-pager"));
        add("metrics.txt", this::metrics);
        add("threads.txt", this::threads);
    }

    /** Adds a part; a part that fails or takes too long is listed as missing. */
    private void add(String name, Callable<byte[]> part) {
        FutureTask<byte[]> task = new FutureTask<>(part);
        Thread thread = new Thread(task, "support-" + name);
        thread.setDaemon(true);
        thread.start();
        try {
            parts.put(name, task.get(PART_SECONDS, TimeUnit.SECONDS));
        } catch (TimeoutException e) {
            task.cancel(true);
            missing.put(name, "no answer within " + PART_SECONDS + " s");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            missing.put(name, cause instanceof IOException io ? SourceFile.sentence(io) : String.valueOf(cause));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            missing.put(name, "interrupted");
        }
    }

    private void write(OutputStream out, String name, long time) throws IOException {
        try (TarGz archive = new TarGz(out, name, time)) {
            for (Map.Entry<String, byte[]> part : parts.entrySet()) {
                String text = new String(part.getValue(), UTF_8);
                for (String secret : secrets) {
                    text = text.replace(secret, Redaction.REPLACED);
                }
                archive.add(part.getKey(), Redaction.scrubbed(text).getBytes(UTF_8));
            }
            StringBuilder gone = new StringBuilder();
            missing.forEach((part, reason) ->
                    gone.append(part).append(": ").append(reason).append('\n'));
            archive.add("MISSING", Redaction.scrubbed(gone.toString()).getBytes(UTF_8));
        }
    }

    private String[] withConfig(String... line) {
        List<String> all = new ArrayList<>(List.of(line));
        if (config != null && line[0].equals("check")) {
            all.add(config.toString());
        } else if (config != null) {
            all.addAll(List.of("-c", config.toString()));
        }
        return all.toArray(new String[0]);
    }

    private byte[] run(String... line) throws IOException {
        return run(true, line);
    }

    /**
     * Runs another verb of this command, and returns what it prints.
     *
     * @param asks whether the verb asks the daemon; other verbs use its files, which {@link #refuseAnother} has compared
     */
    private byte[] run(boolean asks, String... line) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Map<String, String> variables = new HashMap<>(console().environment());
        variables.remove("MUSTER_URI");
        if (asks && server.isGiven(console())) {
            variables.put("MUSTER_URI", server.address(console().environment()));
        }
        Console captured = new Console(
                InputStream.nullInputStream(),
                out,
                err,
                variables,
                Terminal.of(variables, false, false, false),
                console().clock());
        int exit = Muster.run(captured, line);
        if (exit == Exit.UNREACHABLE || exit == Exit.DENIED) {
            throw new IOException(err.toString(UTF_8).strip().replace("\n", ";"));
        }
        out.write(err.toByteArray());
        return out.toByteArray();
    }

    private byte[] configuration() throws IOException {
        Path path = config == null ? environment.configFile() : config;
        StringBuilder all = new StringBuilder();
        for (Path one : Files.isDirectory(path) ? tomlFiles(path) : List.of(path)) {
            all.append("# ")
                    .append(one)
                    .append('\n')
                    .append(new String(SourceFile.read(one), UTF_8))
                    .append('\n');
        }
        Redaction redaction = new Redaction(all.toString());
        secrets.addAll(redaction.values());
        return redaction.text().getBytes(UTF_8);
    }

    private static List<Path> tomlFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(one -> one.toString().endsWith(".toml"))
                    .sorted()
                    .toList();
        }
    }

    private byte[] system() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String key : List.of("os.name", "os.version", "os.arch", "java.vm.version", "java.home")) {
            text.append(key).append(' ').append(System.getProperty(key)).append('\n');
        }
        text.append("cores ").append(Runtime.getRuntime().availableProcessors()).append('\n');
        return text.append(Files.readString(Path.of("/proc/meminfo")))
                .toString()
                .getBytes(UTF_8);
    }

    private byte[] disk() throws IOException {
        Path state = stateDir();
        long free = Files.getFileStore(state).getUsableSpace();
        return (state + ": " + (free >> 20) + " MiB free\n").getBytes(UTF_8);
    }

    private Path stateDir() {
        return Config.load(config, environment).storage().stateDir();
    }

    private byte[] metrics() throws IOException {
        InetSocketAddress address = Config.load(config, environment)
                .reporting()
                .metrics()
                .orElseThrow(() -> new IOException("muster.metrics is off"));
        String host = address.getAddress().getHostAddress();
        URI uri = URI.create(
                "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort() + "/metrics");
        URLConnection connection = uri.toURL().openConnection();
        int millis = (int) TimeUnit.SECONDS.toMillis(PART_SECONDS / 2);
        connection.setConnectTimeout(millis);
        connection.setReadTimeout(millis);
        try (InputStream in = connection.getInputStream()) {
            return in.readNBytes(MOST_BYTES);
        }
    }

    /** Dumps the threads with the JDK's tool, which works even if the daemon answers no request. */
    private byte[] threads() throws IOException, InterruptedException {
        String pid = String.valueOf(daemon(stateDir().resolve("lock")));
        Path jcmd = Path.of(System.getProperty("java.home", ""), "bin", "jcmd");
        return Program.run(PROGRAM_SECONDS, Files.exists(jcmd) ? jcmd.toString() : "jcmd", pid, "Thread.print");
    }

    /**
     * Returns the pid of the process that holds the lock. The file keeps the pid of a daemon that has ended, and jcmd would
     * send SIGQUIT to the process that has this pid now.
     */
    private static long daemon(Path lock) throws IOException {
        Matcher holder = PID.matcher(Files.exists(lock) ? Files.readString(lock) : "");
        String host = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        if (!holder.find() || !holder.group(2).equals(host) || !isHeld(lock)) {
            throw new IOException("no daemon of this host holds " + lock);
        }
        long pid = Long.parseLong(holder.group(1));
        Path program = Path.of("/proc/" + pid + "/exe").toRealPath().getFileName();
        if (program == null || !program.toString().equals("java")) {
            throw new IOException("process " + pid + ", which " + lock + " names, is " + program + " and no daemon");
        }
        return pid;
    }

    private static boolean isHeld(Path lock) throws IOException {
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.READ)) {
            return channel.tryLock(0, Long.MAX_VALUE, true) == null;
        } catch (OverlappingFileLockException e) {
            return true; // this process holds it
        }
    }
}
