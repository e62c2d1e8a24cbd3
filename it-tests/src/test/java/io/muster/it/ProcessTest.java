package io.muster.it;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.it.harness.DaemonProcess;
import io.muster.it.harness.Jars;
import io.muster.it.harness.Peer;
import io.muster.it.harness.Tool;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.client.SentRequest;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.lang.runtime.ObjectMethods;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The process: how it starts, runs with a bad disk and few descriptors, and ends. */
@Timeout(600)
class ProcessTest {
    private static final int NEW_FILE = 4096;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    /** @param muster keys of the table {@code [muster]} */
    private DaemonProcess.Setup setup(String... muster) {
        return on("node[0-7]", muster);
    }

    private DaemonProcess.Setup on(String hosts, String... muster) {
        List<String> config = new ArrayList<>(List.of(muster));
        config.add(DaemonProcess.Setup.nodes(hosts));
        return DaemonProcess.Setup.in(directory, config.toArray(String[]::new));
    }

    private static ObjectNode ask(FluxClient client, String topic, String json) throws IOException {
        return client.rpc(topic, json(json));
    }

    /** The inventory without the keys that change with time. */
    private static ObjectNode inventory(FluxClient client) throws IOException {
        ObjectNode all = client.rpc("resource.state", null);
        all.remove(List.of("time", "seq", "journal_bytes"));
        return all;
    }

    private static void changeEveryAxis(FluxClient client) throws IOException {
        ask(client, "resource.drain", "{'targets':'1','reason':'bad dimm'}");
        ask(client, "resource.drain", "{'targets':'1-2','holder':'health','reason':'fan','for':31536000.25}");
        ask(client, "resource.exclude", "{'targets':'3','reason':'loan'}");
        ask(client, "resource.torpid", "{'targets':'4'}");
        ask(client, "resource.offline", "{'targets':'5','cause':'power'}");
        ask(client, "resource.shrink", "{'targets':'6','reason':'returned'}");
        ask(client, "resource.property-add", "{'properties':{'gpu':'0-2','a@b':'7'}}");
        ask(client, "resource.expiration-update", "{'expiration':4000000000}");
    }

    @Test
    void everyAxisSurvivesARestartAndACrash() throws IOException {
        ObjectNode before;
        try (DaemonProcess daemon = setup().start();
                FluxClient client = daemon.connect()) {
            changeEveryAxis(client);
            before = inventory(client);
        }
        assertThat(directory.resolve("state/snapshot.json"))
                .as("the last snapshot")
                .exists();
        DaemonProcess second = setup().start();
        try (FluxClient client = second.connect()) {
            assertThat(inventory(client)).isEqualTo(before);
            ask(client, "resource.drain", "{'targets':'0','reason':'just before the crash'}");
            before = inventory(client);
        }
        second.kill();
        try (DaemonProcess third = setup().start();
                FluxClient client = third.connect()) {
            assertThat(inventory(client)).isEqualTo(before);
        }
    }

    @Test
    void aSecondDaemonOnTheSameStateExitsAndNamesThePidOfTheFirst() {
        try (DaemonProcess first = setup().start()) {
            DaemonProcess second = setup().spawn().expect("pid " + first.pid());
            assertThat(second.awaitExit()).isEqualTo(75);
            assertThat(second.output().await(" ERROR ")).contains("pid " + first.pid());
            assertThat(first.socket()).exists();
        }
        assertThat(setup().socket()).doesNotExist();
    }

    @Test
    void aFailedStartLogsItsReasonAndHasItsExitStatus() throws IOException {
        doesNotStart(setup("bath = \"1s\""), 78, "did you mean batch?");

        Files.writeString(setup().socket(), "precious");
        doesNotStart(setup(), 1, "sock already exists and is not a socket");
        assertThat(setup().socket()).hasContent("precious");
        Files.delete(setup().socket());

        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String address = "127.0.0.1:" + taken.getLocalPort();
            doesNotStart(setup("metrics = \"" + address + "\""), 1, "cannot listen on " + address);
        }
    }

    private static void doesNotStart(DaemonProcess.Setup setup, int status, String because) {
        DaemonProcess daemon = setup.spawn().expect(Pattern.quote(because));
        assertThat(daemon.awaitExit()).isEqualTo(status);
        daemon.output().await(because);
    }

    @Test
    void theStartIsRefusedIfTheJournalIsDamagedOutsideOfItsTail() throws IOException {
        setup().start().kill();
        Path segment = directory.resolve("state/journal/0000000000000001.log");
        Files.writeString(segment, Files.readString(segment).replaceFirst("resource-define", "resource-defile"));
        doesNotStart(setup(), 65, "0000000000000001.log line 2");
    }

    @Test
    void aStoppingDaemonFinishesChangesInFlightAndEndsItsStreams() throws IOException {
        DaemonProcess daemon = setup().start();
        try (Peer scheduler = Peer.welcomed(daemon.socket());
                FluxClient admin = daemon.connect()) {
            scheduler.send(Peer.acquire(1));
            assertThat(Objects.requireNonNull(scheduler.receive()).errnum()).isZero();
            List<SentRequest> calls = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                calls.add(
                        admin.call("resource.drain", json("{'targets':'1','reason':'" + i + "','mode':'overwrite'}")));
            }
            calls.get(0).get();
            daemon.close();
            Response end = Objects.requireNonNull(scheduler.receive());
            while (end.errnum() == 0) {
                end = Objects.requireNonNull(scheduler.receive());
            }
            assertThat(end.errnum()).isEqualTo(Errno.ECANCELED.value());
            assertThat(Objects.requireNonNull(end.payload()).text()).isEqualTo("the daemon is stopping");
            assertThat(scheduler.receive())
                    .as("and then the end of the connection")
                    .isNull();
        }
    }

    @Test
    void aFailingDiskIsReportedEverywhereAndTheDaemonRecoversByItself() throws IOException, InterruptedException {
        try (DaemonProcess daemon = setup("metrics = \"127.0.0.1:0\"").start().expect("changes are refused");
                FluxClient client = daemon.connect();
                FluxClient scheduler = daemon.connect()) {
            ResponseStream stream = scheduler.stream("resource.acquire", null);
            stream.next();
            daemon.limit("fsize", "1:unlimited");
            assertThatThrownBy(() -> ask(client, "resource.drain", "{'targets':'1'}"))
                    .isInstanceOfSatisfying(
                            RpcException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EROFS))
                    .hasMessageContaining("File too large");
            assertThat(client.rpc("resource.status", null).path("drain")).isEmpty();
            assertThat(daemon.get("/readyz")).contains("File too large");
            assertThat(daemon.get("/metrics")).contains("muster_read_only 1.0");

            int from = daemon.output().size();
            daemon.limit("fsize", "unlimited");
            daemon.output().await("the ledger can be written again", from);
            assertThat(daemon.get("/metrics")).contains("muster_read_only 0.0");
            ask(client, "resource.drain", "{'targets':'2'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'2'}"));
        }
    }

    @Test
    void withoutFreeDescriptorsNewConnectionsWait() throws IOException {
        try (DaemonProcess daemon = setup().start().expect("connections cannot be accepted");
                FluxClient before = daemon.connect()) {
            daemon.limit("nofile", "16:" + NEW_FILE);
            int from = daemon.output().size();
            try (Peer waiting = Peer.connect(daemon.socket())) {
                daemon.output().await("connections cannot be accepted", from);
                assertThat(before.rpc("resource.status", null).has("R")).isTrue();
                daemon.limit("nofile", NEW_FILE + ":" + NEW_FILE);
                assertThat(waiting.welcome()).as("it was only kept waiting").isZero();
                daemon.output().await("connections are accepted again", from);
            }
            assertThat(daemon.output().lines())
                    .filteredOn(line -> line.contains("cannot be accepted"))
                    .as("said once")
                    .hasSize(1);
        }
    }

    @Test
    void aSighupDuringTheStartReloadsTheConfigurationAfterTheStart() throws IOException {
        try (DaemonProcess daemon = setup().spawn()) {
            daemon.output().await(" config "); // the first lines of the log
            daemon.signal("HUP", "configuration reloaded");
            assertThat(daemon.ask("resource.status").has("R")).isTrue();
        }
    }

    @Test
    void aDaemonStartedByNohupWarnsThatItIgnoresSighup() throws IOException {
        try (DaemonProcess daemon = setup().wrapper("nohup").start().expect("SIGHUP is ignored")) {
            daemon.output().await("SIGHUP is ignored, because nohup started the daemon");
            daemon.signal("HUP");
            assertThat(daemon.ask("resource.status").has("R")).isTrue();
        }
    }

    @Test
    void aReloadAppliesChangesAndKeepsTheOldConfigurationOnError() throws IOException {
        try (DaemonProcess daemon = setup().start()
                        .expect("unknown key")
                        .expect("the configuration was not reloaded")
                        .expect("takes effect at the next start")
                        .expect("hosts new in the inventory");
                FluxClient client = daemon.connect()) {
            setup("acquire = \"shared\"", "max-connections = 100", "log-level = \"debug\"")
                    .write();
            daemon.signal("HUP", "configuration reloaded");
            try (ResponseStream one = client.stream("resource.acquire", null);
                    ResponseStream two = client.stream("resource.acquire", null)) {
                assertThat(one.next().has("up")).isTrue();
                assertThat(two.next().has("up")).isTrue();
            }
            setup("[resource]", "exclude = \"node7\"").write();
            daemon.signal("HUP", "configuration reloaded");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEqualTo("7");
            assertThat(client.rpc("config.get", null).at("/resource/exclude").asText())
                    .isEqualTo("node7");

            setup("acquier = \"shared\"").write();
            daemon.signal("HUP", "the configuration was not reloaded");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEqualTo("7");

            on("node[0-8]").write();
            daemon.signal("HUP", "configuration reloaded");
            assertThat(ask(client, "attr.get", "{'name':'size'}").path("value").asText())
                    .isEqualTo("9");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEmpty();
        }
    }

    @Test
    void theMainSocketRefusesChangesIfThereIsAnAdminSocket() throws IOException {
        try (DaemonProcess daemon = setup("admin-socket = \"" + directory + "/admin/admin.sock\"")
                        .start()
                        .expect(
                                "denied topic=resource.drain",
                                "there is no directory .*/admin: the daemon creates it");
                FluxClient main = daemon.connect();
                FluxClient admin = daemon.connect(directory.resolve("admin/admin.sock"))) {
            assertThatThrownBy(() -> ask(main, "resource.drain", "{'targets':'1'}"))
                    .hasMessage("only the admin socket takes changes");
            ask(admin, "resource.drain", "{'targets':'1'}");
            assertThat(main.rpc("resource.status", null).path("drain").has("1")).isTrue();
            assertThat(mode(directory.resolve("admin"))).isEqualTo("rwx------");
            assertThat(mode(daemon.socket())).isEqualTo("rw-------");
            assertThat(mode(daemon.stateDir())).isEqualTo("rwx------");
        }
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    @Test
    void aChangedRIsReportedAndDrainsFollowTheirHosts() throws IOException {
        try (DaemonProcess daemon = setup().start();
                FluxClient client = daemon.connect()) {
            ask(client, "resource.drain", "{'targets':'node7','reason':'bad dimm'}");
        }
        try (DaemonProcess daemon = on("node[7,0-2,9]").start().expect("hosts ");
                FluxClient client = daemon.connect()) {
            assertThat(client.rpc("resource.status", null).at("/drain/0/reason").asText())
                    .isEqualTo("bad dimm");
            daemon.output().await("hosts moved to another rank: node[0-2,7]");
            daemon.output().await("hosts left the inventory");
            daemon.output().await("hosts new in the inventory: node9");
        }
    }

    @Test
    void everyDocumentedMetricExistsFromTheStart() throws IOException, InterruptedException {
        try (DaemonProcess daemon = setup("metrics = \"127.0.0.1:0\"").start()) {
            String metrics = daemon.get("/metrics");
            String documented = Files.readString(Path.of("..", "docs", "metrics.md"), StandardCharsets.UTF_8);
            List<String> names = documented
                    .lines()
                    .filter(line -> line.startsWith("| `muster_"))
                    .map(line -> line.substring(3, line.indexOf('`', 3)))
                    .toList();
            assertThat(names)
                    .hasSizeGreaterThan(25)
                    .allSatisfy(name -> assertThat(metrics).contains("\n" + name));
            assertThat(metrics)
                    .contains("muster_nodes{state=\"available\"} 8.0", "muster_resources{type=\"core\"} 32.0");
        }
    }

    /** Uses another user if this one may become one; without root's rights the guest is the owner again. */
    @Test
    void aGuestIsAcceptedOnlyIfGuestsAreAllowedAndMayOnlyRead() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        boolean root = Tool.isRoot();
        try (DaemonProcess daemon = setup().start()) {
            Files.setPosixFilePermissions(daemon.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
            assertThat(Visitor.ask(daemon.socket(), "resource.status", null).welcome())
                    .isEqualTo(root ? Errno.EPERM.value() : 0);
        }
        try (DaemonProcess daemon =
                setup("[access]", "allow-guest-user = true").start().expect("denied topic=resource.drain")) {
            Visitor read = Visitor.ask(daemon.socket(), "resource.status", null);
            assertThat(read.welcome()).isZero();
            assertThat(read.response().errnum()).isZero();
            Visitor change = Visitor.ask(daemon.socket(), "resource.drain", "{\"targets\":\"1\"}");
            assertThat(change.response().errnum()).isEqualTo(root ? Errno.EPERM.value() : 0);
        }
    }

    /** Loading these classes takes a command longer than all the rest of its work. */
    @Test
    void aCommandInItsSimplestFormLoadsNoTableAndNoParser() {
        List<String> slow = Stream.of(
                        CommandLine.Model.CommandSpec.class,
                        Operations.class,
                        ObjectMethods.class, // equals, hashCode and toString of records
                        ObjectMapper.class)
                .map(Class::getName)
                .toList();
        try (DaemonProcess daemon = setup().start()) {
            for (List<String> line : List.of(
                    List.of("drain", "-f", "node1", "bad", "dimm"),
                    List.of("undrain", "node1", "mended"),
                    List.of("status"),
                    List.of("help"))) {
                List<String> command = new ArrayList<>(List.of(Tool.jdk("java"), "-Xlog:class+load", "-cp"));
                command.addAll(List.of(Jars.classPath(), "io.muster.cli.Muster"));
                command.addAll(line);
                ProcessBuilder builder = new ProcessBuilder(command);
                builder.environment().put("MUSTER_URI", "local://" + daemon.socket());
                builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
                String classes = Tool.run(builder);
                assertThat(classes).contains(" io.muster.cli.Muster source:");
                assertThat(slow.stream().anyMatch(name -> classes.contains(" " + name + " source:")))
                        .as("%s: %s", line, classes)
                        .isEqualTo(line.contains("help"));
            }
        }
    }
}
