package io.muster.it;

import static io.muster.it.Wire.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.client.Call;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Header;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** How the process starts, lives with a bad disk and few descriptors, and ends. */
class ProcessTest {
    private static final int NEW_FILE = 4096;

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path directory;

    private void configure(String... muster) {
        DaemonProcess.configure(directory, DaemonProcess.nodes("node[0-7]"), muster);
    }

    private static ObjectNode ask(FluxClient client, String topic, String json) throws IOException {
        return client.rpc(topic, json(json));
    }

    /** All that is known, less what differs from one moment to the next. */
    private static ObjectNode inventory(FluxClient client) throws IOException {
        ObjectNode all = client.rpc("resource.inventory", null);
        all.remove(List.of("time", "seq"));
        return all;
    }

    private static void changeEveryAxis(FluxClient client) throws IOException {
        ask(client, "resource.drain", "{'targets':'1','reason':'bad dimm'}");
        ask(client, "resource.drain", "{'targets':'1-2','holder':'health','reason':'fan','until':4000000000.25}");
        ask(client, "resource.exclude", "{'targets':'3','reason':'loan'}");
        ask(client, "resource.torpid", "{'targets':'4'}");
        ask(client, "resource.offline", "{'targets':'5','cause':'power'}");
        ask(client, "resource.shrink", "{'targets':'6','reason':'returned'}");
        ask(client, "resource.property-add", "{'properties':{'gpu':'0-2','a@b':'7'}}");
        ask(client, "resource.expiration-update", "{'expiration':4000000000}");
    }

    @Test
    void everyAxisOutlivesARestartAndACrash() throws IOException {
        configure();
        ObjectNode before;
        try (DaemonProcess daemon = DaemonProcess.start(directory);
                FluxClient client = daemon.connect()) {
            changeEveryAxis(client);
            before = inventory(client);
        }
        assertThat(directory.resolve("state/snapshot.json"))
                .as("the last snapshot")
                .exists();
        DaemonProcess second = DaemonProcess.start(directory);
        try (FluxClient client = second.connect()) {
            assertThat(inventory(client)).isEqualTo(before);
            ask(client, "resource.drain", "{'targets':'0','reason':'just before the crash'}");
            before = inventory(client);
        }
        second.kill();
        try (DaemonProcess third = DaemonProcess.start(directory);
                FluxClient client = third.connect()) {
            assertThat(inventory(client)).isEqualTo(before);
        }
    }

    @Test
    void aSecondDaemonOnTheSameStateIsRefusedByThePidOfTheFirst() {
        configure();
        try (DaemonProcess first = DaemonProcess.start(directory)) {
            DaemonProcess second = DaemonProcess.launch(directory);
            assertThat(second.awaitEnd()).isEqualTo(75);
            assertThat(second.output().await(" ERROR ", 0, DaemonProcess.PATIENCE))
                    .contains("pid " + first.pid());
            assertThat(first.socket()).exists();
        }
        assertThat(directory.resolve("muster.sock")).doesNotExist();
    }

    @Test
    void whatKeepsItFromStartingIsSaidAndHasANumber() throws IOException {
        DaemonProcess.configure(directory, DaemonProcess.nodes("node[0-7]"), "bath = \"1s\"");
        DaemonProcess misspelt = DaemonProcess.launch(directory);
        assertThat(misspelt.awaitEnd()).isEqualTo(78);
        misspelt.output().await("did you mean batch?", 0, DaemonProcess.PATIENCE);

        configure();
        Files.writeString(directory.resolve("muster.sock"), "precious");
        DaemonProcess inTheWay = DaemonProcess.launch(directory);
        assertThat(inTheWay.awaitEnd()).isEqualTo(1);
        inTheWay.output().await("muster.sock is in the way of the socket", 0, DaemonProcess.PATIENCE);
        assertThat(directory.resolve("muster.sock")).hasContent("precious");
        Files.delete(directory.resolve("muster.sock"));

        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            configure("metrics = \"127.0.0.1:" + taken.getLocalPort() + "\"");
            DaemonProcess portless = DaemonProcess.launch(directory);
            assertThat(portless.awaitEnd()).isEqualTo(1);
            portless.output().await("cannot listen on 127.0.0.1:" + taken.getLocalPort(), 0, DaemonProcess.PATIENCE);
        }
    }

    @Test
    void stateThatNoCrashExplainsIsNotStartedFrom() throws IOException {
        configure();
        DaemonProcess.start(directory).kill();
        Path segment = directory.resolve("state/journal/0000000000000001.log");
        Files.writeString(segment, Files.readString(segment).replaceFirst("resource-define", "resource-defile"));
        DaemonProcess corrupt = DaemonProcess.launch(directory);
        assertThat(corrupt.awaitEnd()).isEqualTo(65);
        corrupt.output().await("0000000000000001.log line 2", 0, DaemonProcess.PATIENCE);
    }

    @Test
    void streamsAndChangesInFlightAreAnsweredBeforeTheEnd() throws IOException {
        configure();
        DaemonProcess daemon = DaemonProcess.start(directory);
        try (RawPeer scheduler = new RawPeer(daemon.socket());
                FluxClient admin = daemon.connect()) {
            assertThat(scheduler.welcome()).isZero();
            scheduler.send("resource.acquire", null, Header.STREAMING, 1, Credentials.UNSET);
            assertThat(Objects.requireNonNull(scheduler.receive()).errnum()).isZero();
            List<Call> calls = new ArrayList<>();
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
    void aDiskThatRefusesIsSaidEverywhereAndRecoversByItself() throws IOException, InterruptedException {
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory).expect("changes are refused");
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
            assertThat(get(daemon, "/healthz")).contains("File too large");
            assertThat(get(daemon, "/metrics")).contains("muster_read_only 1.0");

            int from = daemon.output().size();
            daemon.limit("fsize", "unlimited");
            daemon.output().await("the journal is writable again", from, DaemonProcess.PATIENCE);
            assertThat(get(daemon, "/metrics")).contains("muster_read_only 0.0");
            ask(client, "resource.drain", "{'targets':'2'}");
            assertThat(stream.next()).isEqualTo(json("{'down':'2'}"));
        }
    }

    private static String get(DaemonProcess daemon, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + daemon.metricsAddress() + path))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void outOfDescriptorsItPausesAndGoesOn() throws IOException {
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory).expect("connections cannot be accepted");
                FluxClient before = daemon.connect()) {
            daemon.limit("nofile", "16:" + NEW_FILE);
            int from = daemon.output().size();
            try (RawPeer waiting = new RawPeer(daemon.socket())) {
                daemon.output().await("connections cannot be accepted", from, DaemonProcess.PATIENCE);
                assertThat(before.rpc("resource.status", null).has("R")).isTrue();
                daemon.limit("nofile", NEW_FILE + ":" + NEW_FILE);
                assertThat(waiting.welcome()).as("it was only kept waiting").isZero();
                daemon.output().await("connections are accepted again", from, DaemonProcess.PATIENCE);
            }
            assertThat(daemon.output().lines().stream().filter(line -> line.contains("cannot be accepted")))
                    .as("said once")
                    .hasSize(1);
        }
    }

    @Test
    void aReloadAppliesWhatCanChangeAndKeepsTheOldOneOnError() throws IOException {
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory)
                        .expect("unknown key")
                        .expect("the configuration was not reloaded")
                        .expect("takes effect at the next start")
                        .expect("hosts new in the inventory");
                FluxClient client = daemon.connect()) {
            configure("acquire = \"shared\"", "max-connections = 100", "log-level = \"debug\"");
            daemon.signal("HUP", "configuration reloaded");
            try (ResponseStream one = client.stream("resource.acquire", null);
                    ResponseStream two = client.stream("resource.acquire", null)) {
                assertThat(one.next().has("up")).isTrue();
                assertThat(two.next().has("up")).isTrue();
            }
            DaemonProcess.configure(directory, "[resource]\nexclude = \"node7\"\n" + DaemonProcess.nodes("node[0-7]"));
            daemon.signal("HUP", "configuration reloaded");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEqualTo("7");
            assertThat(client.rpc("config.get", null).at("/resource/exclude").asText())
                    .isEqualTo("node7");

            DaemonProcess.configure(directory, DaemonProcess.nodes("node[0-7]"), "acquier = \"shared\"");
            daemon.signal("HUP", "the configuration was not reloaded");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEqualTo("7");

            DaemonProcess.configure(directory, DaemonProcess.nodes("node[0-8]"));
            daemon.signal("HUP", "configuration reloaded");
            assertThat(ask(client, "attr.get", "{'name':'size'}").path("value").asText())
                    .isEqualTo("9");
            assertThat(client.rpc("resource.status", null).path("exclude").asText())
                    .isEmpty();
        }
    }

    @Test
    void withAnAdminSocketTheMainOneTakesNoChanges() throws IOException {
        configure("admin-socket = \"" + directory + "/admin/admin.sock\"");
        try (DaemonProcess daemon = DaemonProcess.start(directory).expect("denied topic=resource.drain");
                FluxClient main = daemon.connect();
                FluxClient admin = daemon.connect(directory.resolve("admin/admin.sock"))) {
            assertThatThrownBy(() -> ask(main, "resource.drain", "{'targets':'1'}"))
                    .hasMessage("changes are taken on the admin socket only");
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
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory);
                FluxClient client = daemon.connect()) {
            ask(client, "resource.drain", "{'targets':'node7','reason':'bad dimm'}");
        }
        DaemonProcess.configure(directory, DaemonProcess.nodes("node[7,0-2,9]"));
        try (DaemonProcess daemon = DaemonProcess.start(directory).expect("hosts ");
                FluxClient client = daemon.connect()) {
            assertThat(client.rpc("resource.status", null).at("/drain/0/reason").asText())
                    .isEqualTo("bad dimm");
            daemon.output().await("hosts moved to another rank: node[0-2,7]", 0, DaemonProcess.PATIENCE);
            daemon.output().await("hosts left the inventory", 0, DaemonProcess.PATIENCE);
            daemon.output().await("hosts new in the inventory: node9", 0, DaemonProcess.PATIENCE);
        }
    }

    @Test
    void everyMeterIsThereFromTheStart() throws IOException, InterruptedException {
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory)) {
            String metrics = get(daemon, "/metrics");
            String documented = Files.readString(Path.of("..", "docs", "metrics.md"), StandardCharsets.UTF_8);
            List<String> names = documented
                    .lines()
                    .filter(line -> line.startsWith("| `muster_"))
                    .map(line -> line.substring(3, line.indexOf('`', 3)))
                    .toList();
            assertThat(names)
                    .hasSizeGreaterThan(25)
                    .allSatisfy(name -> assertThat(metrics).contains("\n" + name));
            assertThat(metrics).contains("muster_nodes{state=\"up\"} 8.0", "muster_resources{type=\"core\"} 32.0");
        }
    }

    /** Another user, as far as this one may become one: without root's rights it is the owner again. */
    @Test
    void aGuestIsLetInOnlyWhereGuestsAreAndThenMayOnlyRead() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        boolean root = "root".equals(System.getProperty("user.name"));
        configure();
        try (DaemonProcess daemon = DaemonProcess.start(directory)) {
            Files.setPosixFilePermissions(daemon.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
            assertThat(Visitor.ask(daemon.socket(), "resource.status", null).welcome())
                    .isEqualTo(root ? Errno.EPERM.value() : 0);
        }
        DaemonProcess.configure(directory, "[access]\nallow-guest-user = true\n" + DaemonProcess.nodes("node[0-7]"));
        try (DaemonProcess daemon = DaemonProcess.start(directory).expect("denied topic=resource.drain")) {
            Visitor read = Visitor.ask(daemon.socket(), "resource.status", null);
            assertThat(read.welcome()).isZero();
            assertThat(read.response().errnum()).isZero();
            Visitor change = Visitor.ask(daemon.socket(), "resource.drain", "{\"targets\":\"1\"}");
            assertThat(change.response().errnum()).isEqualTo(root ? Errno.EPERM.value() : 0);
        }
    }
}
