package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code muster tag} and {@code muster mark}, and the verbs that print tags and marks, against a daemon in this process. */
@Timeout(300)
final class NoteVerbsTest {
    private static final String RESOURCES = """
            [[resource.config]]
            hosts = "node[0-3]"
            cores = "0-3"
            gpus = "0-3"
            """;

    @TempDir
    private Path directory;

    private RunningDaemon daemon;

    @BeforeEach
    void start() throws Exception {
        daemon = RunningDaemon.start(directory, RESOURCES);
    }

    @AfterEach
    void stop() throws Exception {
        daemon.close();
    }

    private Result run(String... arguments) {
        return new Shell().with("MUSTER_URI", daemon.uri()).run(arguments);
    }

    private String out(String... arguments) {
        Result result = run(arguments);
        assertThat(result.exit()).as("%s", result).isZero();
        return result.out();
    }

    @Test
    void tagsAndMarksArePrintedByWhyGraphStatusAndEventlog() throws Exception {
        assertThat(out("tag", "add", "node1", "firmware=7.1", "suspect")).isEmpty();
        assertThat(out("mark", "/cluster0/node[1-2]/gpu3", "failing", "ECC", "errors"))
                .isEmpty();
        assertThat(out("tag", "add", "/cluster0", "site=north")).isEmpty();

        assertThat(out("why", "node1"))
                .contains("node1 (rank 1): available\n")
                .containsPattern("tag {9}firmware=7.1 by \\S+, \\d+s ago\n")
                .containsPattern("tag {9}suspect by ")
                .containsPattern(
                        "mark {8}gpu3: failing: ECC errors by \\S+, \\d+s ago; a state below the node does not take the"
                                + " node down\n")
                .contains("annotate node1 (rank 1) tag=firmware:7.1,suspect by")
                .contains("annotate node[1-2] (ranks 1-2) vertices=gpu3 mark=failing reason=\"ECC errors\" by");
        assertThat(out("why", "/cluster0/node2/gpu3"))
                .contains("/cluster0/node2/gpu3 (gpu): failing\n")
                .containsPattern("mark {8}failing: ECC errors by ")
                .contains("node        node2 (rank 2) is up: a state below the node does not take the node down")
                .contains("annotate node[1-2] (ranks 1-2)");
        assertThat(out("why", "/cluster0"))
                .contains("/cluster0 (cluster): no mark\n")
                .containsPattern("tag {9}site=north by ")
                .contains("nodes       node[0-3]: 4 of 4 are up")
                .contains("annotate paths=/cluster0 tag=site:north by");
        assertThat(out("why", "/cluster0/node3")).contains("node3 (rank 3): available\n");
        assertThat(run("why", "/cluster0/rack1").err()).contains("/cluster0 has no rack1");
        assertThat(out("why", "cluster0")).startsWith("/cluster0 (cluster): ");
        assertThat(run("why", "gpu3").exit()).isEqualTo(Exit.NO_TARGET);
        assertThat(run("why", "gpu3").err())
                .isEqualTo(
                        "muster why: 4 vertices have the name gpu3, such as /cluster0/node0/gpu3: give the path of one of"
                                + " them; `muster find gpu3` prints all\n  '@{gpu3}' stands for 4 hosts\n");
        assertThat(run("why", "gpu9").err()).contains("host gpu9 is not in the resource set");
        assertThat(run("why", "/cluster0/rack1").exit()).isEqualTo(Exit.NO_TARGET);

        assertThat(out("graph", "--depth=2"))
                .contains("cluster0 #site=north", "node1 #firmware=7.1 #suspect [available]", "gpu3 [failing]");
        assertThat(out("graph", "--format=jgf"))
                .contains("\"state\":\"failing\"", "\"tags\":{\"firmware\":\"7.1\",\"suspect\":\"\"}");
        assertThat(out("status", "--json"))
                .contains("\"path\":\"gpu3\"", "\"hosts\":\"node[1-2]\"", "\"state\":\"failing\"");
        assertThat(out("eventlog")).contains("annotate");
        assertThat(out("completion", "words"))
                .contains("tag firmware\n", "tag site\n", "mark failing\n", "mark none\n");
    }

    @Test
    void aTagSurvivesARestartAndStaysWithItsHost() throws Exception {
        out("tag", "add", "/cluster0/node2/gpu1", "a=b");
        daemon.close();
        daemon = RunningDaemon.start(directory, RESOURCES.replace("node[0-3]", "node[3,2,0]"));
        assertThat(out("why", "node2")).contains("node2 (rank 1)").containsPattern("tag {9}gpu1: a=b by ");
        out("tag", "remove", "/cluster0/node2/gpu1", "a");
        assertThat(out("why", "node2")).doesNotContain("tag   ");
    }

    @Test
    void historyWithNotesPrintsTheTimeAndUserOfMarksAndTags() throws Exception {
        out("mark", "/cluster0/node[1-2]/gpu3", "failing", "ECC", "errors");
        out("tag", "add", "node1", "firmware=7.1");
        out("mark", "/cluster0/node1/gpu3", "none");
        out("tag", "add", "node1", "firmware=8");
        String user = System.getProperty("user.name");
        String time = "\\S+ \\S+ \\S+ +";
        for (String source : List.of("--uri=" + daemon.uri(), "--state-dir=" + directory.resolve("state"))) {
            assertThat(out("history", source, "--notes", "node1"))
                    .containsPattern(time + time + "\\d+s +marked +" + user + " +" + user
                            + " +failing: ECC errors +node1/gpu3\n")
                    .containsPattern(time + time + "\\d+s +tagged +" + user + " +" + user + " +firmware=7.1 +node1\n")
                    .containsPattern(time + "- +\\d+s +tagged +" + user + " +firmware=8 +node1\n")
                    .doesNotContain("node2");
            assertThat(out("history", source, "--notes", "--json", "node2"))
                    .contains("\"kind\":\"marked\",\"holder\":null,\"path\":\"gpu3\"");
            assertThat(run("history", source, "node1").err()).contains("neither drained, excluded nor offline since");
            assertThat(run("history", source, "--notes", "node3").err())
                    .contains("neither drained, excluded nor offline, and without marks and tags, since");
        }
        assertThat(run("report", "--state=marked").err()).contains("there is no state marked");
    }

    @Test
    void tagAndMarkApplyToTheVerticesThatAnExpressionFinds() {
        out("tag", "add", "@{gpu in node[1-2]}", "suspect");
        assertThat(out("find", "--paths", "tag.suspect"))
                .contains("/cluster0/node1/gpu0", "/cluster0/node2/gpu3")
                .doesNotContain("node0", "node3");
        out("drain", "@{node has tag.suspect}", "bad", "gpu");
        assertThat(out("drain")).contains("node[1-2]");
        Result none = run("mark", "@{tag.other}", "failing", "x");
        assertThat(none.exit()).isEqualTo(Exit.NO_TARGET);
        assertThat(none.err()).contains("@{tag.other} finds nothing");
    }

    @Test
    void aChangeWithoutEffectIsReportedAndADryRunChangesNothing() {
        out("mark", "node0", "down", "smoke");
        assertThat(run("mark", "node0", "down", "smoke").err())
                .contains("nothing was changed: every vertex has this mark");
        assertThat(run("tag", "remove", "node0", "x").err()).contains("nothing was changed: no vertex has these tags");
        assertThat(out("tag", "add", "--dry-run", "/cluster0/node[0-1]/core2", "x"))
                .startsWith("would annotate node[0-1] (ranks 0-1) vertices=core2 tag=x by ");
        out("mark", "node0", "none");
        assertThat(out("status", "--json")).contains("\"notes\":[]");
    }

    @Test
    void hostsAndPathsAreReadFromStandardInput() {
        Result result = new Shell()
                .with("MUSTER_URI", daemon.uri())
                .typing("/cluster0/node1/gpu0\nnode2\nnode3 /cluster0\n")
                .run("tag", "add", "--json", "-", "x");
        assertThat(result.out())
                .contains(
                        "\"vertices\":{\"\":\"2-3\",\"gpu0\":\"1\"}",
                        "\"paths\":[\"/cluster0\"]",
                        "\"hosts\":\"node[1-3]\"");
    }

    @Test
    void invalidMarksTagsAndPathsAreRefused() throws Exception {
        assertThat(run("mark", "node0", "broken").err())
                .contains("\"broken\" is not one of up, down, degraded, failing, unknown and none");
        assertThat(run("mark", "node0", "broken").exit()).isEqualTo(Exit.USAGE);
        assertThat(run("tag", "remove", "node0", "a=b").exit()).isEqualTo(Exit.USAGE);
        assertThat(run("tag", "add", "node9", "a").exit()).isEqualTo(Exit.NO_TARGET);
        assertThat(run("tag", "add", "/cluster0/node9", "a").err())
                .contains("no vertex has the path /cluster0/node9: /cluster0 has no node9");
        assertThat(run("tag", "add", "node0", "a\u0007").err()).contains("U+0007");
    }

    @Test
    void aListOfTargetsMixesHostsPathsAndExpressionsInAnyOrder() {
        out("tag", "add", "@{gpu0 in node1},node3,/cluster0/node[0,2]/gpu1,node2", "a");
        assertThat(out("find", "--paths", "tag.a").lines())
                .containsExactlyInAnyOrder(
                        "/cluster0/node1/gpu0",
                        "/cluster0/node3",
                        "/cluster0/node0/gpu1",
                        "/cluster0/node2/gpu1",
                        "/cluster0/node2");
        out("tag", "remove", "node[2-3],@{gpu in node[0-2]}", "a");
        assertThat(out("find", "--count", "tag.a")).isEqualTo("0\n");
    }

    @Test
    void questionsAboutThePastDoNotFetchTheCompleteState() {
        out("drain", "node1", "bad", "power");
        List<String> before = completeStates();
        assertThat(out("eventlog", "-i", "node1")).contains("bad power");
        assertThat(out("history", "1")).contains("bad power");
        assertThat(out("history", "all")).contains("bad power");
        assertThat(out("why", "node1", "/cluster0/node2/gpu3")).contains("bad power");
        assertThat(completeStates()).isEqualTo(before);
    }

    @Test
    void whyShowsTheEventsThatNameTheHostAmongOthersOrByItsRankOnly() {
        out("drain", "node[0-2]", "bad", "power");
        out("drain", "node3", "bad", "fan");
        out("property", "add", "fast", "node[1-2]");
        assertThat(out("why", "node1"))
                .contains("drain node[0-2] (ranks 0-2)", "property-add")
                .doesNotContain("bad fan");
        assertThat(out("why", "node3")).contains("drain node3 (rank 3)").doesNotContain("bad power", "property-add");
    }

    private List<String> completeStates() {
        return daemon.metrics()
                .lines()
                .filter(line -> line.startsWith("muster_requests_total") && line.contains("resource.state"))
                .toList();
    }
}
