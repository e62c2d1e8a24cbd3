package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.cli.Shell;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.testing.Jansson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SIGHUP with a configuration that has an accidental error. */
class ConfigReloadTest {
    private static final String MUSTER = "[muster]\nsocket = \"s\"\nstate-dir = \"state\"\nmetrics = \"off\"\n";

    @TempDir
    private Path directory;

    private static String hosts(String hosts) {
        return "[[resource.config]]\nhosts = \"" + hosts + "\"\ncores = \"0-3\"\n";
    }

    private static int nodes(RunningDaemon daemon) {
        String counts = new Shell().with("MUSTER_URI", daemon.uri()).run("info").out();
        return Integer.parseInt(counts.substring(0, counts.indexOf(' ')));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# all gone\n", MUSTER, "[access]\n", "[resource]\n", "[resource]\npath = \"empty\"\n"})
    void anEmptiedConfigurationRemovesNoHost(String next) throws Exception {
        Files.writeString(
                directory.resolve("empty"), "{\"version\":1,\"execution\":{\"R_lite\":[],\"nodelist\":[\"\"]}}");
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-9]"))) {
            assertThat(daemon.hangup(next)).isFalse();
            assertThat(nodes(daemon)).isEqualTo(10);
            Path file = directory.resolve("next.toml");
            String said = new Shell().run("check", file.toString()).err();
            assertThat(said).contains("a daemon that serves").contains("refuses to reload this");
        }
    }

    @Test
    void aReloadRemovesNoMoreThanTheShareInReloadDrop() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-9]"))) {
            assertThat(daemon.hangup(MUSTER + hosts("n[0-3]"))).isFalse();
            assertThat(nodes(daemon)).isEqualTo(10);
            assertThat(daemon.hangup(MUSTER + hosts("n[0-4],x[0-9]")))
                    .as("half of them")
                    .isTrue();
            assertThat(nodes(daemon)).isEqualTo(15);
            assertThat(daemon.hangup(MUSTER + "reload-drop = 0.1\n" + hosts("n[0-4],x[0-7]")))
                    .isFalse();
            assertThat(daemon.hangup(MUSTER + "reload-drop = 0\n" + hosts("n[0-4],x[0-9],y")))
                    .as("none goes")
                    .isTrue();
            assertThat(daemon.hangup(MUSTER + "reload-drop = 1\n" + hosts("z"))).isTrue();
            assertThat(nodes(daemon)).isEqualTo(1);
        }
    }

    /** The disk accepts no changes, because the segment in use has been moved. */
    @Test
    void aReloadWhoseChangesTheDiskRefusesFails() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-9]"))) {
            Path journal = daemon.stateDir().resolve("journal");
            try (Stream<Path> segments = Files.list(journal)) {
                for (Path segment : segments.toList()) {
                    Files.move(segment, directory.resolve(segment.getFileName()));
                }
            }
            assertThat(daemon.hangup(MUSTER + hosts("n[0-9]") + "[resource]\nexclude = \"n1\"\n"))
                    .isFalse();
            assertThat(daemon.hangup(MUSTER + hosts("n[0-8]"))).isFalse();
            assertThat(nodes(daemon)).isEqualTo(10);
        }
    }

    @Test
    void theDefaultHostIsReplacedWithoutForceAndRestoredOnlyWithReloadDrop() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, "")) {
            assertThat(daemon.hangup(MUSTER + hosts("n[0-9]"))).isTrue();
            assertThat(nodes(daemon)).isEqualTo(10);
            assertThat(daemon.hangup(MUSTER)).isFalse();
            assertThat(daemon.hangup(MUSTER + "reload-drop = 1\n")).isTrue();
            assertThat(nodes(daemon)).isEqualTo(1);
        }
    }

    private static final String QUEUE = "[queues.q]\nhosts = \"n0\"\n";

    private static String r(String hosts, String properties, int expiration) {
        return "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-" + hosts
                + "\",\"children\":{\"core\":\"0-3\"}}],\"nodelist\":[\"n[0-" + hosts + "]\"],\"properties\":{"
                + properties
                + "},\"starttime\":0,\"expiration\":" + expiration + "}}";
    }

    @Test
    void aSchedulerIsSentTheUpdatesOfANewRAndOtherDifferencesWaitForTheNextAcquire() throws Exception {
        Path file = directory.resolve("R");
        String path = MUSTER + "[resource]\npath = \"R\"\n";
        Files.writeString(file, r("3", "\"a\":\"0\"", 0));
        try (RunningDaemon daemon = RunningDaemon.start(directory, "[resource]\npath = \"R\"\n")) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            try (FluxClient scheduler = FluxClient.connect(daemon.uri());
                    ResponseStream stream = scheduler.stream("resource.acquire", null)) {
                stream.next();
                Files.writeString(file, r("3", "\"b\":\"1-2\"", 2_000_000_000));
                assertThat(daemon.hangup(path)).isTrue();
                assertThat(String.valueOf(stream.next()))
                        .isEqualTo("{\"property-add\":{\"b\":\"1-2\"},\"property-remove\":{\"a\":\"0\"},"
                                + "\"expiration\":2.0E9}");
                assertThat(shell.run("status").err()).isEmpty();

                Files.writeString(file, r("5", "\"c\":\"3-5\"", 2_000_000_001));
                assertThat(daemon.hangup(path)).isTrue();
                assertThat(String.valueOf(stream.next()))
                        .isEqualTo("{\"property-add\":{\"c\":\"3\"},\"property-remove\":{\"b\":\"1-2\"},"
                                + "\"expiration\":2.000000001E9}");
                assertThat(nodes(daemon)).isEqualTo(4);
                assertThat(shell.run("status").err()).contains("older R").endsWith("wait: new hosts: n[4-5]\n");
                assertThat(shell.run("status", "--json").out()).contains("\"waiting\":[\"new hosts: n[4-5]\"]");

                assertThat(daemon.hangup(path)).as("the same again").isTrue();
                assertThat(shell.run("status", "--json").out()).contains("\"waiting\":[\"new hosts: n[4-5]\"]");
            }
            assertThat(shell.run("acquire", "--count", "1").out()).contains("n[0-5]");
            assertThat(nodes(daemon)).isEqualTo(6);
            assertThat(shell.run("status", "--json").out()).contains("\"waiting\":[]");
        }
    }

    @Test
    void anAdminsReloadIsRefusedIfTheSchedulerCannotBeSentTheDifferences() throws Exception {
        Path file = directory.resolve("R");
        Files.writeString(file, r("3", "", 0));
        try (RunningDaemon daemon = RunningDaemon.start(directory, "[resource]\npath = \"R\"\n");
                FluxClient scheduler = FluxClient.connect(daemon.uri());
                ResponseStream stream = scheduler.stream("resource.acquire", null)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            stream.next();
            Files.writeString(file, r("3", "\"b\":\"1-2\"", 0));
            assertThat(shell.run("reload", "--dry-run", file.toString()).err()).isEmpty();
            assertThat(shell.run("reload", file.toString()).err()).isEmpty();
            assertThat(String.valueOf(stream.next())).isEqualTo("{\"property-add\":{\"b\":\"1-2\"}}");

            Files.writeString(file, r("2", "\"b\":\"1-2\"", 0).replace("\"0-3\"", "\"0-7\""));
            String parts = "hosts that leave: n3; the resources of hosts";
            assertThat(shell.run("reload", file.toString()).err())
                    .startsWith("muster reload: resources are busy (unload scheduler?): the scheduler cannot be sent "
                            + parts);
            assertThat(shell.run("reload", "--dry-run", file.toString()).err()).contains("cannot be sent " + parts);
            assertThat(nodes(daemon)).isEqualTo(4);
        }
    }

    @Test
    void editedQueuesApplyToTheRThatAnAdminLoaded() throws Exception {
        Path file = directory.resolve("loaded");
        Files.writeString(file, r("11", "\"b\":\"1-2\"", 0));
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-9]") + QUEUE)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            assertThat(shell.run("reload", file.toString()).err()).isEmpty();
            assertThat(shell.run("property", "list", "-n").out()).isEqualTo("+q 1 n0\nb  2 n[1-2]\n");
            String edited = MUSTER + hosts("n[0-9]") + "[queues.r]\nhosts = \"n[7-9]\"\n[queues.s]\nhosts = \"all\"\n";
            assertThat(daemon.hangup(edited)).isTrue();
            assertThat(shell.run("property", "list", "-n").out())
                    .isEqualTo("+r  3 n[7-9]\n+s 12 n[0-11]\nb   2 n[1-2]\n");
            assertThat(nodes(daemon)).isEqualTo(12);
            assertThat(daemon.hangup(MUSTER + hosts("n[0-8]"))).isTrue();
            assertThat(nodes(daemon)).as("another R").isEqualTo(9);
        }
    }

    @Test
    void aWaitingConfigurationIsNotLostByAnotherReload() throws Exception {
        Path file = directory.resolve("loaded");
        Files.writeString(file, r("9", "", 0));
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-8]"))) {
            assertThat(new Shell()
                            .with("MUSTER_URI", daemon.uri())
                            .run("reload", file.toString())
                            .err())
                    .isEmpty();
            try (FluxClient client = FluxClient.connect(daemon.uri());
                    ResponseStream scheduler = client.stream("resource.acquire", null)) {
                scheduler.next();
                assertThat(daemon.hangup(MUSTER + hosts("n[0-11]"))).isTrue();
                assertThat(daemon.hangup(MUSTER + hosts("n[0-11]"))).isTrue();
                assertThat(nodes(daemon)).isEqualTo(10);
            }
            await().atMost(Duration.ofMinutes(1)).until(() -> nodes(daemon) == 12);
        }
    }

    @Test
    void anRWithAnInvalidGraphIsRefusedByCheckAndReload() throws Exception {
        Path r = directory.resolve("R");
        String text = "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-9\",\"children\":{\"core\":\"0-3\"}}],"
                + "\"nodelist\":[\"n[0-9]\"]},\"scheduling\":{\"graph\":{\"nodes\":5,\"edges\":[]}}}";
        Files.writeString(r, text);
        assertThat(Jansson.fault(Files.readAllBytes(r))).isNull();
        try (RunningDaemon daemon = RunningDaemon.start(directory, hosts("n[0-9]"))) {
            assertThat(daemon.hangup(MUSTER + "[resource]\npath = \"R\"\n")).isFalse();
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri());
            String place = "/scheduling/graph/nodes: must be a list";
            assertThat(shell.run("check", directory.resolve("next.toml").toString())
                            .err())
                    .isEqualTo(r + ": " + place + "\n");
            assertThat(shell.run("reload", r.toString()).err()).contains(place);
            assertThat(shell.run("reload", "--dry-run", r.toString()).err()).contains(place);
        }
    }
}
