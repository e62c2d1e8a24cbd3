package io.muster.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ResourcesTest {
    private static final String[] R = {
        "{\"version\": 1, \"execution\": {",
        "  \"R_lite\": [{\"rank\": \"0-3\", \"children\": {\"core\": \"0-1\"}}],",
        "  \"nodelist\": [\"n[0-3]\"], \"starttime\": 0, \"expiration\": 0}}"
    };

    @TempDir
    private Path dir;

    @Test
    void withoutAFileTheResourcesAreThisHostWithItsCores() {
        Resources resources = Config.load(null, Configs.ADA).resources();
        assertThat(resources.set().hosts()).hasToString("host7");
        assertThat(resources.set().toJson().at("/execution/R_lite"))
                .hasToString("[{\"rank\":\"0\",\"children\":{\"core\":\"0-3\"}}]");
        assertThat(resources.excluded()).isEqualTo(Idset.EMPTY);
        assertThat(resources.origin()).isEqualTo("this host");
    }

    @Test
    void theFileIsReadAndItsHostsCanBeExcluded() {
        Configs.write(dir, "R", R);
        Resources resources = Configs.load(dir, "[resource]", "path = \"R\"", "exclude = \"n[1-2]\"")
                .resources();
        assertThat(resources.set().ranks()).isEqualTo(Idset.range(0, 3));
        assertThat(resources.excluded()).isEqualTo(Idset.range(1, 2));
        assertThat(resources.origin()).isEqualTo(dir + "/R");
    }

    @Test
    void theSchedulingFileReplacesTheSchedulingKey() {
        Configs.write(dir, "R", R);
        Configs.write(dir, "jgf.json", "{\"writer\": \"x\"}");
        Config config = Configs.load(dir, "[resource]", "path = \"R\"", "scheduling = \"jgf.json\"");
        assertThat(config.resources().set().scheduling()).hasToString("{\"writer\":\"x\"}");
    }

    @Test
    void numbersInTheSchedulingFileSurviveEncodingAndParsing() {
        Configs.write(dir, "R", R);
        Configs.write(dir, "jgf.json", "{\"x\": {\"a\": 0.5, \"b\": 1.50, \"c\": 2e0}}");
        ResourceSet set = Configs.load(dir, "[resource]", "path = \"R\"", "scheduling = \"jgf.json\"")
                .resources()
                .set();
        assertThat(ResourceSet.parse(set.toBytes())).isEqualTo(set);
    }

    @Test
    void hostsOfAQueueHaveThePropertyOfTheQueue() {
        Configs.write(
                dir,
                "R",
                R[0],
                R[1],
                R[2].replace("\"starttime\"", "\"properties\": {\"+batch\": \"0\"}, \"starttime\""));
        String[] file = {
            "[resource]",
            "path = \"R\"",
            "[queues.batch]",
            "hosts = \"n[1-2]\"",
            "[queues.whole]",
            "hosts = \"all\"",
            "[queues.gpu]",
            "requires = [\"gpu\"]",
            "[queues.night]",
            "parent = \"batch\""
        };
        ResourceSet set = Configs.load(dir, file).resources().set();
        assertThat(set.properties()).isEqualTo(Map.of("+batch", Idset.range(1, 2), "+whole", Idset.range(0, 3)));
        assertThat(set.withoutInstanceLocalProperties().properties()).isEmpty();
        assertThat(Configs.load(dir, "[queues.me]", "hosts = \"host7\"")
                        .resources()
                        .set()
                        .properties())
                .containsOnlyKeys("+me");
    }

    @Test
    void queuesWithInvalidHostsAreRefused() {
        Configs.write(dir, "R", R);
        assertThat(Configs.problems(
                        dir,
                        "[resource]",
                        "path = \"R\"",
                        "[queues]",
                        "a.hosts = \"n[3-4]\"",
                        "b.hosts = \"\"",
                        "c = {hosts = \"all\", requires = [\"gpu\"]}",
                        "d = {hosts = \"all\", parent = \"b\"}",
                        "e.hosts = 7",
                        "f.hosts = \"n[\"",
                        "\"g|\".hosts = \"all\""))
                .contains(
                        "muster.toml:5: queues.b.hosts: names no host: expected a hostlist or \"all\"",
                        "muster.toml:6: queues.c.hosts: a queue has either hosts or requires: remove one of them",
                        "muster.toml:7: queues.d.hosts: a queue with parent has the hosts of its parent: remove hosts or"
                                + " parent",
                        "muster.toml:8: queues.e.hosts: expected a string",
                        "muster.toml:10: queues.g|.hosts: property name \"+g|\" has the illegal character |")
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("muster.toml:4: queues.a.hosts: ")
                        .contains("n4"))
                .anySatisfy(problem -> assertThat(problem).startsWith("muster.toml:9: queues.f.hosts: "));
    }

    @Test
    void excludingEveryRankResultsInANote() {
        Config config = Configs.load(dir, "[resource]", "exclude = \"0\"");
        assertThat(Configs.notes(dir, config))
                .containsExactly("muster.toml:2: resource.exclude: leaves no rank for schedulers");
    }

    @Test
    void everyProblemOfTheFilesIsReported() {
        Configs.write(dir, "R", "{\"version\": 2, \"execution\": {\"nodelist\": []}}");
        Configs.write(dir, "jgf.json", "{", "\"graph\" 1}");
        assertThat(Configs.problems(
                        dir, "[resource]", "path = \"R\"", "scheduling = \"jgf.json\"", "[muster]", "batch = \"1w\""))
                .contains(
                        "R: /version: must be the integer 1, not 2",
                        "jgf.json: is not JSON: it cannot be read at line 2, column 9",
                        "muster.toml:5: muster.batch: duration \"1w\": the unit is one of ms, s, m, h, d at position 1")
                .anySatisfy(problem -> assertThat(problem).startsWith("R: /execution/"));
    }
}
