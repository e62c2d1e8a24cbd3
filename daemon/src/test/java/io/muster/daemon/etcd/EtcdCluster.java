package io.muster.daemon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.testing.Pki;
import io.muster.testing.Ports;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;

/** A real etcd cluster on this host, whose member processes a test can kill, stop for a while and start again. */
public final class EtcdCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final String scheme;
    private final String host;
    private final Path directory;
    private final List<String> options;
    /** What etcdctl needs besides the endpoints. */
    private final List<String> credentials = new ArrayList<>();
    /** What a daemon needs besides the endpoints, as TOML. */
    private String login = "";

    private final List<Integer> clients = new ArrayList<>();
    private final List<Integer> peers = new ArrayList<>();
    private final List<@Nullable Process> members = new ArrayList<>();
    private String state = "new";

    private EtcdCluster(String scheme, String host, Path directory, List<String> options) {
        this.scheme = scheme;
        this.host = host;
        this.directory = directory;
        this.options = options;
    }

    /**
     * Starts a cluster that does not wait for the disk, because a busy disk would end leases. A member that is killed and started again
     * still has its data, since the machine goes on.
     */
    public static EtcdCluster quick(Path directory, int size, String... options) throws IOException {
        return start(
                directory,
                size,
                Stream.concat(Stream.of(options), Stream.of("--unsafe-no-fsync"))
                        .toArray(String[]::new));
    }

    /** Starts a cluster on loopback and waits until all members serve. */
    public static EtcdCluster start(Path directory, int size, String... options) throws IOException {
        return startAt("127.0.0.1", directory, size, options);
    }

    /**
     * Starts a cluster and waits until all members serve.
     *
     * @param host an address of this host
     */
    public static EtcdCluster startAt(String host, Path directory, int size, String... options) throws IOException {
        return start(new EtcdCluster("http", host, directory, List.of(options)), size);
    }

    /**
     * Starts a cluster on loopback whose clients connect by TLS and log in. The token of a login expires after some seconds, and a member that
     * starts again knows no token.
     */
    public static EtcdCluster secured(Path directory, int size, Pki pki, String... options)
            throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of(
                "--cert-file=" + pki.file("server.pem"),
                "--key-file=" + pki.file("server.key"),
                "--auth-token-ttl=5",
                "--bcrypt-cost=4"));
        EtcdCluster cluster = new EtcdCluster("https", "127.0.0.1", directory, all);
        cluster.credentials.add("--cacert=" + pki.file("ca.pem"));
        start(cluster, size);
        cluster.enableUsers();
        cluster.credentials.add("--user=root:top");
        Path password = Files.writeString(directory.resolve("password"), "one\n");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("rw-------"));
        cluster.login = "ca = \"" + pki.file("ca.pem") + "\"\nuser = \"muster\"\npassword-file = \"" + password + "\"";
        return cluster;
    }

    private static EtcdCluster start(EtcdCluster cluster, int size) throws IOException {
        for (int i = 0; i < 2 * size; i++) {
            (i < size ? cluster.clients : cluster.peers).add(Ports.free());
        }
        for (int i = 0; i < size; i++) {
            cluster.members.add(null);
            cluster.startMember(i);
        }
        cluster.awaitServing();
        return cluster;
    }

    /** Adds the user muster with the password one, who may use the keys of the ledger, and from now on refuses clients without a login. */
    void enableUsers() throws IOException, InterruptedException {
        ctl("user", "add", "root:top");
        ctl("user", "grant-role", "root", "root");
        ctl("user", "add", "muster:one");
        ctl("role", "add", "muster");
        ctl("role", "grant-permission", "muster", "--prefix=true", "readwrite", "/muster/");
        ctl("user", "grant-role", "muster", "muster");
        ctl("auth", "enable");
    }

    /** Waits until each member can commit, and fails with the last lines of the log of a member that cannot. */
    public void awaitServing() {
        for (int i = 0; i < size(); i++) {
            int member = i;
            await(() -> run("endpoint", "health", "--endpoints=" + url(clients.get(member))), "is healthy");
        }
    }

    /** Repeats a command until its output has a text, and returns the output. */
    private String await(Callable<String> command, String text) {
        String[] last = {""};
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(100))
                    .until(() -> {
                        last[0] = command.call();
                        return last[0].contains(text);
                    });
            return last[0];
        } catch (ConditionTimeoutException e) {
            throw new AssertionError("not " + text + ": " + last[0] + "\n" + lastLines(), e);
        }
    }

    private String lastLines() {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < size(); i++) {
            Process process = members.get(i);
            all.append("m" + i + (process != null && process.isAlive() ? " runs" : " has ended") + ":\n");
            try {
                List<String> lines = Files.readAllLines(directory.resolve("m" + i + ".log"));
                lines.subList(Math.max(0, lines.size() - 30), lines.size())
                        .forEach(line -> all.append(line).append('\n'));
            } catch (IOException e) {
                all.append(e).append('\n');
            }
        }
        return all.toString();
    }

    public int size() {
        return members.size();
    }

    public void startMember(int i) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "etcd",
                "--name=m" + i,
                "--data-dir=" + directory.resolve("m" + i),
                "--listen-client-urls=" + url(clients.get(i)),
                "--advertise-client-urls=" + url(clients.get(i)),
                "--listen-peer-urls=" + peer(i),
                "--initial-advertise-peer-urls=" + peer(i),
                "--initial-cluster=" + initial(),
                "--initial-cluster-state=" + state,
                "--logger=zap"));
        command.addAll(options);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("m" + i + ".log").toFile())
                .start();
        members.set(i, process);
    }

    private String initial() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < peers.size(); i++) {
            all.add("m" + i + "=" + peer(i));
        }
        return String.join(",", all);
    }

    private String url(int port) {
        return scheme + "://" + host + ":" + port;
    }

    private String peer(int i) {
        return "http://" + host + ":" + peers.get(i);
    }

    public List<URI> endpoints() {
        return clients.stream().map(this::url).map(URI::create).toList();
    }

    /** Returns the value of ledger.endpoints for all members. */
    public String toml() {
        return endpoints().stream().map(uri -> "\"" + uri + "\"").collect(Collectors.joining(", ", "[", "]"));
    }

    /** Returns the keys of the section ledger with which a daemon logs in; "" if it need not. */
    public String login() {
        return login;
    }

    /** Kills a member as SIGKILL does, and waits for its end. */
    public void kill(int i) throws InterruptedException {
        Process process = members.get(i);
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    public void killAll() throws InterruptedException {
        for (int i = 0; i < members.size(); i++) {
            kill(i);
        }
    }

    /** Stops a member with SIGSTOP, until {@link #resume}, and waits until none of its threads runs: kill(1) returns before. */
    public void pause(int i) throws IOException, InterruptedException {
        signal("STOP", i);
        Process process = members.get(i);
        if (process != null) {
            Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !process.isAlive() || areStopped(threads));
        }
    }

    private static boolean areStopped(Path threads) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
            for (Path thread : all) {
                String stat = Files.readString(thread.resolve("stat"));
                if (!stat.substring(stat.lastIndexOf(')') + 1).startsWith(" T ")) { // a name may have parentheses
                    return false;
                }
            }
        } catch (DirectoryIteratorException | IOException ended) {
            return false;
        }
        return true;
    }

    public void resume(int i) throws IOException, InterruptedException {
        signal("CONT", i);
    }

    private void signal(String name, int i) throws IOException, InterruptedException {
        Process process = members.get(i);
        if (process != null) {
            new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid())
                    .start()
                    .waitFor();
        }
    }

    /** Waits until a member leads etcd, and returns its index. */
    public int leader() {
        return Awaitility.await().atMost(PATIENCE).pollDelay(Duration.ZERO).until(this::reportedLeader, i -> i >= 0);
    }

    /** Returns the index of the member that leads etcd; -1 during an election. */
    private int reportedLeader() throws IOException, InterruptedException {
        for (int i = 0; i < size(); i++) {
            String[] fields = status(i).split(", ");
            if (fields.length > 4 && fields[4].equals("true")) {
                return i;
            }
        }
        return -1;
    }

    /** Makes another member lead etcd. */
    public void moveLeader() throws IOException, InterruptedException {
        awaitServing();
        int from = leader();
        run("move-leader", id((from + 1) % size()), "--endpoints=" + url(clients.get(from)));
    }

    private String status(int i) throws IOException, InterruptedException {
        return run("endpoint", "status", "--endpoints=" + url(clients.get(i)));
    }

    /** Waits until the members know a member, and returns its id. */
    private String id(int i) {
        String address = ", " + peer(i) + ","; // no message about a failure has this text
        return await(() -> ctl("member", "list"), address)
                .lines()
                .filter(line -> line.contains(address))
                .findFirst()
                .orElseThrow()
                .split(",")[0];
    }

    /** Replaces a member with a new member that has an empty directory; the new member joins as a learner and is then promoted. */
    public void replace(int i) throws IOException, InterruptedException {
        awaitServing(); // the other two members are the quorum that removes this member
        String gone = id(i);
        kill(i);
        change(list -> !list.contains(peer(i)), "remove", gone);
        delete(directory.resolve("m" + i));
        change(list -> list.contains(peer(i)), "add", "m" + i, "--learner", "--peer-urls=" + peer(i));
        state = "existing";
        startMember(i);
        change(list -> !list.contains(", true"), "promote", id(i));
    }

    /**
     * Repeats a change of the members until the list of members shows the change: etcd refuses a change until its members have been
     * connected for a while, and may make a change without answering in time.
     */
    private void change(Predicate<String> made, String... arguments) {
        String[] command =
                Stream.concat(Stream.of("member"), Stream.of(arguments)).toArray(String[]::new);
        await(
                () -> {
                    String answer = ctl(command);
                    String list = ctl("member", "list");
                    return list.contains(", started, ") && made.test(list) ? "made" : answer + list;
                },
                "made");
    }

    /** Kills all members and starts them with the content of a file of {@code etcdctl snapshot save}. */
    public void restore(Path backup) throws IOException, InterruptedException {
        killAll();
        for (int i = 0; i < size(); i++) {
            Path data = directory.resolve("m" + i);
            delete(data);
            run(
                    "snapshot",
                    "restore",
                    backup.toString(),
                    "--name=m" + i,
                    "--data-dir=" + data,
                    "--initial-cluster=" + initial(),
                    "--initial-advertise-peer-urls=" + peer(i));
            startMember(i);
        }
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Runs etcdctl against all members and returns its output. */
    public String ctl(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--endpoints=" + endpoints().stream().map(URI::toString).collect(Collectors.joining(",")));
        return run(all.toArray(new String[0]));
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("etcdctl", "--command-timeout=5s"));
        command.addAll(credentials);
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectInput(new java.io.File("/dev/null"));
        builder.environment().put("ETCDCTL_API", "3");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** Returns the keys below a prefix, in order. */
    public List<String> keys(String prefix) throws IOException, InterruptedException {
        return ctl("get", prefix, "--prefix", "--keys-only")
                .lines()
                .filter(line -> !line.isEmpty())
                .toList();
    }

    EtcdAccess access() {
        return new EtcdAccess(endpoints(), new EtcdTls(null, null, null), "", null);
    }

    /** Waits until a member accepts connections. */
    public void awaitMember(int i) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            try (Socket socket = new Socket(host, clients.get(i))) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
    }

    /** Kills all members. */
    @Override
    public void close() {
        for (Process process : members) {
            if (process != null) {
                process.destroyForcibly().onExit().join();
            }
        }
        assertThat(Files.exists(directory)).isTrue();
    }
}
