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

    /** RFC 33, "Virtual Queues": a virtual queue without its parent would be every host. */
    @Test
    void queuesThatRfc33ForbidsAreRefused() {
        assertThat(Configs.problems(
                        dir,
                        "[queues]",
                        "batch.requires = [\"gpu\", \"^slow\"]",
                        "a.parent = \"bach\"",
                        "b.parent = \"b\"",
                        "c.parent = \"a\"",
                        "d.parent = 7",
                        "e.parent = \"\"",
                        "f = {parent = \"batch\", requires = [\"gpu\"]}",
                        "g = {parent = \"batch\", hosts = \"all\"}",
                        "h = {parent = \"batch\", policy.scheduler.queue-policy = \"fcfs\"}",
                        "i0.requires = \"gpu\"",
                        "j0.requires = [\"gpu\", 7]",
                        "k0.requires = [\"a|b\", \"^\"]",
                        "l0 = \"gpu\"",
                        "m = {parent = \"batch\", policy.limits.duration = \"1h\"}",
                        "n0.policy = 3"))
                .containsExactlyInAnyOrder(
                        "muster.toml:3: queues.a.parent: there is no queue \"bach\": expected the name of a queue without"
                                + " parent; did you mean batch?",
                        "muster.toml:4: queues.b.parent: a queue cannot be its own parent",
                        "muster.toml:5: queues.c.parent: the queue \"a\" has a parent itself: expected the name of a queue"
                                + " without parent",
                        "muster.toml:6: queues.d.parent: expected a string",
                        "muster.toml:7: queues.e.parent: there is no queue \"\": expected the name of a queue without parent",
                        "muster.toml:8: queues.f.requires: a queue with parent has the hosts of its parent: remove requires"
                                + " or parent",
                        "muster.toml:9: queues.g.hosts: a queue with parent has the hosts of its parent: remove hosts or"
                                + " parent",
                        "muster.toml:10: queues.h.policy.scheduler: the jobs of a queue with parent are scheduled with those"
                                + " of its parent: remove it",
                        "muster.toml:11: queues.i0.requires: expected an array of strings",
                        "muster.toml:12: queues.j0.requires: expected a string",
                        "muster.toml:13: queues.k0.requires: property name \"a|b\" has the illegal character |",
                        "muster.toml:13: queues.k0.requires: a property name is empty",
                        "muster.toml:14: queues.l0: expected a table",
                        "muster.toml:16: queues.n0.policy: expected a table");
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
