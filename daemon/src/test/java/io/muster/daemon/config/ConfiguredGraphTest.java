package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfiguredGraphTest {
    private static final String MACHINE = "[[resource.config]]\nhosts = \"n[0-3]\"\ncores = \"0-1\"";

    @TempDir
    private Path dir;

    @Test
    void hostsThatAreNotInRAreIgnoredWithANote() {
        Config config = Configs.load(dir, MACHINE, "[[graph]]", "type = \"rack\"", "hosts = \"n[2-5]\"");
        assertThat(config.graph()).hasSize(1);
        assertThat(Configs.notes(dir, config))
                .containsExactly("muster.toml:6: graph[0].hosts: R does not have n[4-5]; ignored");
    }

    @Test
    void problemsAreReportedWithTheirFileAndLine() {
        assertThat(Configs.problems(
                        dir,
                        MACHINE,
                        "[[graph]]",
                        "type = \"rack\"",
                        "hosts = \"n[0-1]\"",
                        "[[graph]]",
                        "type = \"row\"",
                        "size = -1",
                        "hosts = \"n[1-2]\"",
                        "colour = \"red\""))
                .containsExactly(
                        "muster.toml:11: graph[1].colour: is not known; known are type, names, count, size, unit,"
                                + " properties, in, hosts, holds, each, subsystem, relationship, direction",
                        "muster.toml:9: graph[1].size: must be a whole number from 1 to 9223372036854775807, not"
                                + " -1");
        assertThat(Configs.problems(dir, MACHINE, "[[graph]]", "type = \"row\"", "size = 9223372036854775808"))
                .contains("muster.toml:6: graph[0].size: must be a whole number from 1 to 9223372036854775807, not"
                        + " 9223372036854775808");
        assertThat(Configs.problems(
                        dir,
                        MACHINE,
                        "[[graph]]",
                        "type = \"rack\"",
                        "hosts = \"n[0-1]\"",
                        "[[graph]]",
                        "type = \"row\"",
                        "hosts = \"n[1-2]\""))
                .containsExactly("muster.toml:9: graph[1].hosts: n1 is in an earlier entry already");
        assertThat(Configs.problems(dir, "[graph]", "type = \"rack\""))
                .containsExactly("muster.toml:1: graph: must be an array of tables, not an object");
    }

    @Test
    void aGraphThatIsTooLargeIsRefused() {
        assertThat(Configs.problems(
                        dir,
                        "[[resource.config]]\nhosts = \"n[0-999999]\"\ncores = \"0-1\"",
                        "[[graph]]",
                        "type = \"bank\"",
                        "in = \"node\"",
                        "count = 3000"))
                .containsExactly("muster.toml:4: graph: more vertices than a graph can number; ask for less detail");
    }

    @Test
    void theEntriesReplaceTheGraphOfR() {
        Configs.write(
                dir,
                "S",
                "{\"graph\": {\"nodes\": [{\"id\": \"0\", \"metadata\": {\"type\": \"cluster\"}}], \"edges\": []},"
                        + " \"writer\": \"other\"}");
        Config config = Configs.load(
                dir, "[resource]", "scheduling = \"S\"", MACHINE, "[[graph]]", "type = \"rack\"", "hosts = \"n0\"");
        assertThat(Configs.notes(dir, config))
                .contains("muster.toml:6: graph: the entries replace the graph of R, except that schedulers are still"
                        + " sent R as it is");
    }
}
