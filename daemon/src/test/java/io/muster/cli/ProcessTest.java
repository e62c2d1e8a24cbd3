package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command as a separate process, with only the class path of a client. */
class ProcessTest {
    private static final List<String> DAEMONS_OWN =
            List.of("netty", "logback", "slf4j", "micrometer", "prometheus", "HdrHistogram", "LatencyUtils");

    @TempDir
    private Path directory;

    private static String clientClassPath() {
        List<String> kept = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (DAEMONS_OWN.stream().noneMatch(name::contains)) {
                kept.add(entry);
            }
        }
        return String.join(File.pathSeparator, kept);
    }

    private static String java() {
        return System.getProperty("java.home") + "/bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '"
                + clientClassPath() + "' io.muster.cli.Muster ";
    }

    /** Runs bash and returns its standard output and standard error, followed by its exit status. */
    private String bash(String uri, String script) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", script);
        builder.environment().putAll(Map.of("MUSTER_URI", uri, "LC_ALL", "C.UTF-8"));
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        Process process = builder.redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int exit = process.waitFor();
        return Files.readString(output, StandardCharsets.UTF_8) + "exit " + exit;
    }

    @Test
    void clientVerbsRunWithoutTheLibrariesOfTheDaemon() throws Exception {
        assertThat(clientClassPath()).doesNotContain("netty-").doesNotContain("slf4j");
        try (RunningDaemon daemon =
                RunningDaemon.start(directory, "[[resource.config]]\nhosts = \"n[0-1]\"\ncores = \"0\"\n")) {
            assertThat(bash(daemon.uri(), java() + "status -n")).isEqualTo("available ✔ 2  n[0-1]\nexit 0");
            assertThat(bash(daemon.uri(), java() + "drain 1 schlechte Säule && " + java() + "drain -no reason"))
                    .isEqualTo("schlechte Säule\nexit 0");
            assertThat(bash(daemon.uri(), java() + "check " + daemon.configFile()))
                    .contains("ok: 2 nodes")
                    .endsWith("exit 0");
            assertThat(bash(daemon.uri(), java() + "history n1 -c " + daemon.configFile()))
                    .contains("schlechte Säule")
                    .endsWith("exit 0");
            assertThat(bash(daemon.uri(), java() + "why n1 | cat")).contains("n1 (rank 1): drained");
        }
    }

    @Test
    void aClosedReaderOfItsOutputEndsTheCommandWithStatus141() throws Exception {
        assertThat(bash("local:///nowhere", "exec 3> >(true); wait $!; " + java() + "completion bash >&3"))
                .isEqualTo("exit 141");
    }

    /** No event follows that the verb could fail to write. */
    @Test
    void aVerbThatFollowsEndsWhenItsReaderHasGone() throws Exception {
        try (RunningDaemon daemon =
                RunningDaemon.start(directory, "[[resource.config]]\nhosts = \"n[0-1]\"\ncores = \"0\"\n")) {
            for (String verb : List.of("watch --since all", "eventlog --follow", "acquire")) {
                String line = java() + verb + " | head -1 >/dev/null; echo ${PIPESTATUS[0]}";
                assertThat(bash(daemon.uri(), line)).as(verb).isEqualTo("141\nexit 0");
            }
        }
    }

    @Test
    void anOutputErrorIsReportedAndExitsWithOne() throws Exception {
        assertThat(bash("local:///nowhere", java() + "--help > /dev/full"))
                .isEqualTo("muster: standard output: No space left on device\nexit 1");
    }

    @Test
    void standardInputMayBeAPipeAFileOrEmpty() throws Exception {
        String compact = java() + "shape compact";
        String list = "- {type: node, count: 2}";
        assertThat(bash("local:///nowhere", "echo '" + list + "' | " + compact)).isEqualTo("node=2\nexit 0");
        assertThat(bash("local:///nowhere", compact + " <<<'" + list + "'")).isEqualTo("node=2\nexit 0");
        assertThat(bash("local:///nowhere", compact + " <(echo '" + list + "')"))
                .isEqualTo("node=2\nexit 0");
        assertThat(bash("local:///nowhere", compact + " </dev/null"))
                .isEqualTo("muster shape compact: standard input: is empty\nexit 2");
    }

    @Test
    void withoutADaemonTheCommandFailsWithASentence() throws Exception {
        assertThat(bash("local:///nowhere", java() + "status"))
                .startsWith("muster status: nothing listens on /nowhere")
                .endsWith("exit 7");
    }
}
