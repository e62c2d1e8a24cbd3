package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell;
import io.muster.testing.Jansson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SIGHUP with a configuration that an accident made. */
class ReloadTest {
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
    void anEmptiedConfigurationTakesNoHostAway(String next) throws Exception {
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
    void noMoreThanTheStatedShareOfTheHostsGoesUnlessItIsForced() throws Exception {
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

    /** The disk takes no changes, because the segment in use is gone. */
    @Test
    void aReloadWhoseChangesTheDiskRefusesIsNoSuccess() throws Exception {
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
    void thisHostIsReplacedWithoutForceAndReturnsByForce() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, "")) {
            assertThat(daemon.hangup(MUSTER + hosts("n[0-9]"))).isTrue();
            assertThat(nodes(daemon)).isEqualTo(10);
            assertThat(daemon.hangup(MUSTER)).isFalse();
            assertThat(daemon.hangup(MUSTER + "reload-drop = 1\n")).isTrue();
            assertThat(nodes(daemon)).isEqualTo(1);
        }
    }

    @Test
    void anRThatContradictsItselfIsRefusedByCheckAndReload() throws Exception {
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
