package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files in {@code config/examples}, among them the figures of RFC 4. */
class ExamplesTest {
    private static final Path EXAMPLES = Path.of("../config/examples");

    @TempDir
    private Path directory;

    private Shell.Result run(String example, String... command) throws Exception {
        String text = Files.readString(EXAMPLES.resolve(example + ".toml"));
        try (RunningDaemon daemon = RunningDaemon.start(directory, text)) {
            return new Shell()
                    .with("MUSTER_URI", daemon.uri())
                    .with("LC_ALL", "C")
                    .run(command);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rfc4-figure1 | containment        | ClusterA (cluster)>Rack1 (rack)>node1 [available]>core0
            rfc4-figure2 | network            | CoreSwitch1 (core-switch)>EdgeSwitch[1-3] (3 x edge-switch)
            rfc4-figure3 | physical-hierarchy | ClusterA (site-cluster)>Rack1 (rack)>node1 [available]
            rfc4-figure5 | pfs1 | PFS1 (pfs) = 100GB/s>CoreSwitch1 (core-switch) = 80GB/s>EdgeSwitch[1-2] (2 x edge-switch) = 40GB/s>node[1-4] (4 x node, 2 each) [available]
            rfc4-figure6 | pfs1 | PFS1 (pfs) = 100GB/s>CoreSwitch1 (core-switch) = 80GB/s>EdgeSwitch[1-2] (2 x edge-switch) = 40GB/s>node[1-4] (4 x node, 2 each) [available]
            racks        | power              | power0>pdu[0-33] (34 x pdu)>rack[0-135] (136 x rack, 4 each) [each: 72 available]>pdu34>rack[136-137] (2 x rack) [each: 72 available]>rack138 [64 available]
            """)
    void graphDrawsTheSubsystemOfTheFigure(String example, String subsystem, String tree) throws Exception {
        Shell.Result drawn = run(example, "graph", "--subsystem", subsystem);
        assertThat(drawn.err()).isEmpty();
        assertThat(drawn.out().lines().map(line -> line.replaceFirst("^[ |`-]*", "")))
                .containsExactly(tree.split(">", -1));
    }

    @ParameterizedTest
    @CsvSource({"rfc4-figure4", "rfc4-figure6"})
    void nodesOfTheFigureHaveSocketsWithMemory(String example) throws Exception {
        assertThat(run(example, "graph", "--full").out()).isEqualTo("""
                ClusterA (cluster)
                `- Rack[1-2] (2 x rack)
                   `- node[1-4] (4 x node, 2 each) [available]
                      `- socket[0-1] (2 x socket)
                         |- memory0 = 16GB
                         `- core[0-15] (16 x core, 8 each)
                """);
    }

    @Test
    void jgfContainsTheInverseEdgesOfTheFigure() throws Exception {
        assertThat(run("rfc4-figure3", "graph", "-s", "physical-hierarchy", "--format", "jgf", "--full")
                        .out())
                .contains("\"subsystem\":\"physical-hierarchy\",\"relationship\":\"contains\"")
                .contains("\"subsystem\":\"physical-hierarchy\",\"relationship\":\"in\"");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            node=4/[core;edge-switch=20{unit:GB/s}] | 0
            node=4/[core;edge-switch=21{unit:GB/s}] | 1
            rack=2/node=2/socket=2/memory=16{unit:GB} | 0
            rack=2/node=2/socket=2/memory=17{unit:GB} | 1
            """)
    void feasibleUsesTheUnifiedGraph(String shape, int exit) throws Exception {
        assertThat(run("rfc4-figure6", "feasible", shape).exit()).isEqualTo(exit);
    }

    @Test
    void everyExampleFileIsListedHereAndCheckedWithoutANote() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(EXAMPLES)) {
            files = all.sorted().toList();
        }
        assertThat(files)
                .extracting(f -> f.getFileName().toString())
                .containsExactly(
                        "racks.toml",
                        "rfc4-figure1.toml",
                        "rfc4-figure2.toml",
                        "rfc4-figure3.toml",
                        "rfc4-figure4.toml",
                        "rfc4-figure5.toml",
                        "rfc4-figure6.toml");
        for (Path file : files) {
            assertThat(new Shell().run("check", file.toString()).out())
                    .startsWith("ok")
                    .doesNotContain("note");
        }
        assertThat(Files.readString(EXAMPLES.resolve("racks.toml"))
                        .split("\n\n", 2)[1]
                        .lines()
                        .filter(line -> !line.isBlank()))
                .hasSizeLessThanOrEqualTo(10);
    }
}
