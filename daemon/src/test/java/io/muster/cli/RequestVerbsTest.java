package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The verbs that evaluate requests, against one daemon of eight nodes, of which node7 is offline and node0 is excluded. */
class RequestVerbsTest {
    private static final String EIGHT_NODES = """
            [[resource.config]]
            hosts = "node[0-7]"
            cores = "0-3"
            [[resource.config]]
            hosts = "node[4-7]"
            gpus = "0-1"
            properties = ["batch"]
            """;

    private static final String JOBSPEC = """
            version: 1
            resources:
              - type: slot
                count: 2
                label: task
                with: [{type: core, count: 4}]
            tasks: [{command: [app], slot: task, count: {per_slot: 1}}]
            attributes: {system: {duration: 0, constraints: {properties: [batch]}}}
            """;

    @TempDir
    private static Path directory;

    private static RunningDaemon daemon;

    @BeforeAll
    static void startDaemon() throws Exception {
        daemon = RunningDaemon.start(directory, EIGHT_NODES);
        assertThat(muster("offline", "node7", "psu").exit()).isZero();
        assertThat(muster("exclude", "node0").exit()).isZero();
    }

    @AfterAll
    static void stopDaemon() {
        daemon.close();
    }

    private static Result muster(String... arguments) {
        return typing("", arguments);
    }

    private static Result typing(String input, String... arguments) {
        return new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("LC_ALL", "C.UTF-8")
                .typing(input)
                .run(arguments);
    }

    private static Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                Arguments.of("node=7", 0, "yes: fits on 7 of 7 nodes\nhosts: node[1-7]\n"),
                Arguments.of(
                        "slot=8/[core=2;gpu]", 0, "yes: fits on 4 of 7 nodes; at most 8 slots\nhosts: node[4-7]\n"),
                Arguments.of(
                        "node=5/gpu=2",
                        1,
                        "never: 5 nodes with gpu >= 2 asked; 4 of 7 have them (node[4-7]); 3 have no gpu; it fits with"
                                + " node=4\n"),
                Arguments.of(
                        "slot/memory=4",
                        1,
                        "never: type \"memory\" does not occur in this inventory; it has cluster, core, gpu, node\n"));
    }

    @ParameterizedTest
    @MethodSource("answers")
    void feasiblePrintsTheVerdictAndSetsTheExitStatus(String shape, int exit, String out) {
        assertThat(muster("feasible", shape)).isEqualTo(new Result(exit, out, ""));
    }

    @Test
    void feasibleNowCountsOnlyNodesThatAreUp() {
        assertThat(muster("feasible", "--now", "node=3/gpu").exit()).isZero();
        assertThat(muster("feasible", "--now", "node=4/gpu")).isEqualTo(new Result(3, """
                        no: fits the inventory, not now: 6 of 7 nodes up (down: node7); 4 nodes with gpu >= 1 asked; \
                        3 of 6 have them (node[4-6]); 3 have no gpu; it fits with node=3
                        """, ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "batch | 4",
                "-batch | 3",
                "batch -host:node[4-5] | 2",
                "rank:0-2 or host:node7 | 3",
                "{\"not\": [{\"hostlist\": [\"node1\"]}]} | 6",
            })
    void requiresAcceptsAQueryOrAnRfc31Constraint(String requires, int nodes) {
        assertThat(muster("feasible", "node", "--requires", requires).out())
                .startsWith("yes: fits on " + nodes + " of 7 nodes");
    }

    @Test
    void aQueryAppliesToSlotsToo() {
        assertThat(muster("feasible", "slot=5/node", "--requires", "batch").exit())
                .isEqualTo(1);
        assertThat(muster("feasible", "slot=4/node", "--requires", "batch").exit())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "slot=/node||muster feasible: shape: expected a count#  slot=/node#       ^#",
                "node|a & (b|muster feasible: constraint query: this parenthesis is not closed#  a & (b#      ^#",
                "node|{\"x\": []}|muster feasible: --requires: /x: unknown operator; known are and, or, not, properties,"
                        + " hostlist, ranks#",
                "./none.yaml||muster feasible: ./none.yaml: there is no such file#",
            })
    void anUnreadableRequestIsRefusedWithoutAskingTheDaemon(String asked, String requires, String err) {
        Shell nobody = new Shell().with("MUSTER_URI", directory + "/nobody");
        Result result = requires == null
                ? nobody.run("feasible", asked)
                : nobody.run("feasible", asked, "--requires", requires);
        assertThat(result).isEqualTo(new Result(2, "", err.replace('#', '\n')));
    }

    @Test
    void requestsInFilesAndStandardInputMayBeJobspecsOrListsInYamlOrJson() throws IOException {
        String never = "never: 5 slots of core=4 asked; 4 slots fit at most";
        String yaml = file("job.yaml", JOBSPEC).toString();
        assertThat(muster("feasible", yaml).out()).startsWith("yes: fits on 4 of 7 nodes; at most 4 slots");
        assertThat(typing(JOBSPEC.replace("count: 2", "count: 5"), "feasible", "-")
                        .out())
                .startsWith(never);
        assertThat(typing("[{\"type\": \"node\", \"count\": 8}]", "feasible", "-")
                        .out())
                .startsWith("never: 8 nodes asked; 7 are there");
        assertThat(typing("# two nodes\n- type: node\n  count: 2\n", "feasible", "-")
                        .exit())
                .isZero();
        assertThat(muster("feasible", yaml, "--requires", "host:node1").exit()).isEqualTo(1);
        assertThat(typing("version: 1\nresources: 7\n", "feasible", "-")).isEqualTo(new Result(2, "", """
                        muster feasible: standard input: line 1: tasks is missing
                        muster feasible: standard input: line 1: attributes is missing
                        muster feasible: standard input: /resources (line 2): must be a list of resource vertices, not 7
                        """));
    }

    @Test
    void aShapeThatIsAlsoAFileNamePrintsAHint() {
        Result result = muster("feasible", "pom.xml");
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out()).startsWith("never: type \"pom.xml\" does not occur in this inventory");
        assertThat(result.err()).isEqualTo("  a file has that name; ./pom.xml reads it\n");
    }

    @Test
    void feasibleInJsonHasTheFieldsOfTheAnswer() {
        Result result = muster("feasible", "--json", "--now", "slot=2/[core;gpu]");
        assertThat(result.out())
                .isEqualTo(
                        "{\"schema_version\":1,\"mode\":\"now\",\"verdict\":\"yes\",\"sentence\":\"fits on 3 of 7 nodes;"
                                + " at most 6 slots\",\"most_slots\":6,\"nodes\":7,\"ranks\":\"4-6\",\"hosts\":\"node[4-6]\","
                                + "\"remarks\":[]}\n");
        assertThat(muster("feasible", "--json", "node=8").exit()).isEqualTo(1);
    }

    @Test
    void feasibleNowComparesTheTimeLimitWithTheExpiration() {
        assertThat(muster("expiration", "set", "2h").exit()).isZero();
        try {
            assertThat(muster("feasible", "--now", "-t", "1h", "node").exit()).isZero();
            Result late = muster("feasible", "--now", "-t", "1d", "node");
            assertThat(late.exit()).isEqualTo(3);
            assertThat(late.out())
                    .startsWith("no: the duration of 86400s is more than the inventory's remaining lifetime");
            assertThat(muster("feasible", "-t", "1d", "node").exit()).isZero();
            assertThat(muster("feasible", "--now", "node").out())
                    .contains("\nnote: a job without a duration runs until");
        } finally {
            assertThat(muster("expiration", "clear").exit()).isZero();
        }
        assertThat(muster("feasible", "-t", "soon", "node").exit()).isEqualTo(2);
    }

    @Test
    void feasibleWithoutADaemonExitsWithUnreachable() {
        Result result = new Shell().with("MUSTER_URI", directory + "/nobody").run("feasible", "node");
        assertThat(result.exit()).isEqualTo(Exit.UNREACHABLE);
        assertThat(result.out()).isEmpty();
    }

    @Test
    void shapesExpandToYamlAndJsonAndBack() {
        String shape = "[slot=3-30:2:*{a}/node/core=2+;slot{b}/gpu{unit:\"GB\"}]";
        Result yaml = muster("shape", "expand", "slot=4{a}/node/[core=2+;gpu{-x}]");
        assertThat(yaml).isEqualTo(new Result(0, """
                - type: slot
                  count: 4
                  label: a
                  with:
                  - type: node
                    count: 1
                    with:
                    - type: core
                      count:
                        min: 2
                    - type: gpu
                      count: 1
                      exclusive: false
                """, ""));
        Result json = muster("shape", "expand", "--json", shape);
        assertThat(json.out())
                .startsWith("[{\"type\":\"slot\",\"count\":{\"min\":3,")
                .endsWith("]\n");
        for (String option : new String[] {"--json", "-"}) {
            String expanded = option.equals("-")
                    ? typing(shape + "\n", "shape", "expand", "-").out()
                    : json.out();
            String compact = typing(expanded, "shape", "compact").out();
            assertThat(typing(compact, "shape", "expand", "--json", "-").out()).isEqualTo(json.out());
        }
        assertThat(typing(JOBSPEC, "shape", "compact").out()).isEqualTo("slot=2{task}/core=4\n");
    }

    /** The examples of RFC 46, unchanged. */
    static Stream<Arguments> examples() throws IOException {
        String text = Files.readString(Path.of("../inventory/src/test/resources/rfc46/examples.txt"));
        return Arrays.stream(text.split("(?m)^## .*\\n"))
                .filter(example -> !example.isEmpty())
                .map(example -> example.split("\n", 2))
                .map(example -> Arguments.of(example[0], example[1]));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theShapesOfRfc46ExpandToItsYamlAndCompactAgain(String shape, String yaml) {
        Shell alone = new Shell().with("MUSTER_URI", directory + "/nobody");
        assertThat(alone.run("shape", "expand", shape)).isEqualTo(new Result(0, yaml, ""));
        assertThat(alone.typing(yaml).run("shape", "compact")).isEqualTo(new Result(0, shape + "\n", ""));
    }

    @Test
    void malformedShapesAreMarkedWithACaret() {
        assertThat(muster("shape", "expand", "slot=4/[node;")).isEqualTo(new Result(2, "", """
                        muster shape expand: shape: expected a resource type, but the shape ends
                          slot=4/[node;
                                       ^
                        """));
        assertThat(typing("[]", "shape", "compact"))
                .isEqualTo(new Result(
                        2, "", "muster shape compact: standard input: must list at least one resource vertex\n"));
    }

    @Test
    void aJobspecIsValidatedAgainstTheRequestedLevel() throws IOException {
        String valid = file("valid.yaml", JOBSPEC).toString();
        assertThat(muster("jobspec", "validate", valid))
                .isEqualTo(new Result(0, "ok: version 1, slot=2{task}/core=4\n", ""));
        assertThat(muster("jobspec", "validate", "-q", valid)).isEqualTo(new Result(0, "", ""));

        String ranges = JOBSPEC.replace("count: 2", "count: 2+");
        assertThat(typing(ranges, "jobspec", "validate").exit()).isEqualTo(1);
        assertThat(typing(ranges, "jobspec", "validate", "--level", "canonical").out())
                .isEqualTo("ok: version 1, slot=2+{task}/core=4\n");
        assertThat(muster("jobspec", "validate", "--level", "v2", valid))
                .isEqualTo(new Result(2, "", "muster jobspec validate: --level: v2 is not one of v1 and canonical\n"));
        assertThat(muster("jobspec", "validate", directory + "/none").exit()).isEqualTo(2);
    }

    @Test
    void everyProblemOfAJobspecIsPrintedWithItsLine() {
        String broken = JOBSPEC.replace("label: task", "lable: task").replace("per_slot: 1", "per_slot: -1");
        Result result = typing(broken, "jobspec", "validate");
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines())
                .hasSizeGreaterThan(1)
                .allMatch(line -> line.startsWith("muster jobspec validate: standard input: "))
                .anyMatch(line -> line.contains("/resources/0 (line 3): a slot must have a label"));
        assertThat(typing(broken, "jobspec", "validate", "--json").out())
                .startsWith("{\"schema_version\":1,\"valid\":false,\"problems\":[{\"place\":\"/");
        assertThat(typing(JOBSPEC, "jobspec", "validate", "--json").out())
                .isEqualTo("{\"schema_version\":1,\"valid\":true,\"problems\":[],\"notes\":[]}\n");
    }

    @Test
    void theGraphTreeGroupsEqualVertices() {
        assertThat(muster("graph")).isEqualTo(new Result(0, """
                        cluster0
                        ├─ node0 [excluded]
                        │  └─ core = 4 ids=0-3
                        ├─ node[1-3] (3 x node) [available]
                        │  └─ core = 4 ids=0-3
                        ├─ node[4-6] (3 x node) batch [available]
                        │  ├─ core = 4 ids=0-3
                        │  └─ gpu = 2 ids=0-1
                        └─ node7 batch [offline]
                           ├─ core = 4 ids=0-3
                           └─ gpu = 2 ids=0-1
                        """, ""));
        assertThat(muster("graph", "--depth", "1").out().lines()).hasSize(5);
        assertThat(muster("graph", "--full").out())
                .contains("core[0-3] (4 x core)")
                .doesNotContain("ids=");
        assertThat(muster("drain", "node7", "psu").exit()).isZero();
        assertThat(muster("graph", "-d1").out()).endsWith("└─ node7 batch [drained, offline]\n");
        assertThat(muster("undrain", "node7").exit()).isZero();
    }

    @Test
    void theGraphIsPrintedInTheDotFormat() {
        assertThat(muster("graph", "--format", "dot", "--depth", "1").out())
                .startsWith("digraph \"containment\" {\n")
                .contains(
                        "v0 [label=\"cluster0\"",
                        "[label=\"node[4-6] (3 x node) batch [available]\", fillcolor=\"#d9ead3\"];",
                        "v0 -> v3;")
                .endsWith("}\n");
    }

    @Test
    void theGraphIsPrintedAsJgf() throws IOException {
        JsonNode all = new JsonMapper()
                .readTree(muster("graph", "--format", "jgf", "--full").out());
        assertThat(all.at("/graph/nodes")).hasSize(1 + 8 + 8 * 4 + 4 * 2);
        JsonNode nodes = new JsonMapper()
                .readTree(muster("graph", "--format", "jgf", "--depth", "1").out());
        assertThat(nodes.at("/graph/nodes")).hasSize(9);
        assertThat(nodes.at("/graph/edges")).hasSize(8);
    }

    @Test
    void aGraphInAFileNeedsNoDaemon() throws IOException {
        String jgf = muster("graph", "--format", "jgf").out();
        Path file = file("graph.json", jgf);
        Shell alone = new Shell().with("MUSTER_URI", directory + "/nobody");
        assertThat(alone.run("graph", "--file", file.toString(), "-d", "1").out())
                .contains("node[1-3] (3 x node)");
        String r = "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-1\",\"children\":{\"core\":\"0\"}}],"
                + "\"nodelist\":[\"a[0-1]\"],\"starttime\":0,\"expiration\":0}}";
        assertThat(alone.typing(r).run("graph", "-f", "-").out())
                .isEqualTo("cluster0\n└─ a[0-1] (2 x node)\n   └─ core0\n");
        assertThat(alone.typing("{}").run("graph", "-f", "-").exit()).isEqualTo(Exit.ERROR);
        assertThat(alone.typing("{").run("graph", "-f", "-").err())
                .startsWith("muster graph: standard input: not JSON: ")
                .doesNotContain("start marker");
    }

    /** A daemon whose R has a graph with racks; the graph numbers the hosts differently from R. */
    @Test
    void aGraphOfRIsPrintedWithTheStatesAndPropertiesOfItsHosts(@TempDir Path own) throws Exception {
        Files.writeString(own.resolve("R.json"), """
                {"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"0-3"}}],"nodelist":["a,b"],
                  "starttime":0,"expiration":0,"properties":{"fast":"0"}},
                 "scheduling":{"graph":{"nodes":[
                  {"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}}},
                  {"id":"1","metadata":{"type":"rack","id":0,"rank":-1,"paths":{"containment":"/cluster0/rack0"}}},
                  {"id":"2","metadata":{"type":"node","name":"a","rank":1,"paths":{"containment":"/cluster0/rack0/a"}}},
                  {"id":"3","metadata":{"type":"node","name":"b","rank":0,"paths":{"containment":"/cluster0/rack0/b"}}}],
                 "edges":[{"source":"0","target":"1"},{"source":"1","target":"2"},{"source":"1","target":"3"}]}}}
                """);
        try (RunningDaemon racks = RunningDaemon.start(own, "[resource]\npath = \"R.json\"\n")) {
            Shell shell = new Shell().with("MUSTER_URI", racks.uri()).with("LC_ALL", "C.UTF-8");
            assertThat(shell.run("drain", "b", "psu").exit()).isZero();
            assertThat(shell.run("graph")).isEqualTo(new Result(0, """
                            cluster0
                            └─ rack0
                               ├─ a (node) fast [available]
                               └─ b (node) [drained]
                            """, ""));
        }
    }

    /** The command draws the graph of the daemon, from any vertex. */
    @Test
    void theGraphHasTheLevelsOfTheConfiguration(@TempDir Path own) throws Exception {
        String machine = "[[resource.config]]\nhosts = \"n[1-4]\"\ncores = \"0-3\"\n";
        String entries = """
                [[graph]]
                type = "rack"
                names = "rack[1-2]"
                hosts = "n[1-4]"
                [[graph]]
                type = "pdu"
                subsystem = "power"
                holds = "rack"
                [[graph]]
                type = "socket"
                in = "node"
                count = 2
                holds = "core"
                """;
        try (RunningDaemon daemon = RunningDaemon.start(own, machine)) {
            Shell shell = new Shell().with("MUSTER_URI", daemon.uri()).with("LC_ALL", "C.UTF-8");
            assertThat(shell.run("graph", "-d2").out())
                    .startsWith("cluster0\n└─ n[1-4] (4 x node) [available]\n   └─ core");
            daemon.reconfigure(machine + entries);
            assertThat(shell.run("drain", "n3", "psu").exit()).isZero();
            assertThat(shell.run("graph", "-d3").out()).isEqualTo("""
                    cluster0
                    ├─ rack1
                    │  └─ n[1-2] (2 x node) [available]
                    │     └─ socket[0-1] (2 x socket)
                    └─ rack2
                       ├─ n3 (node) [drained]
                       │  └─ socket[0-1] (2 x socket)
                       └─ n4 (node) [available]
                          └─ socket[0-1] (2 x socket)
                    """);
            assertThat(shell.run("graph", "--from", "/cluster0/rack2", "-d1").out())
                    .isEqualTo("rack2\n├─ n3 (node) [drained]\n└─ n4 (node) [available]\n");
            assertThat(shell.run("graph", "-s", "power").out())
                    .isEqualTo("pdu0\n├─ rack1 [2 available]\n└─ rack2 [1 available, 1 drained]\n");
            assertThat(shell.run("graph", "--from", "rack7").err())
                    .startsWith("muster graph: --from: expression \"rack7\": there is no type and no name rack7");
            assertThat(shell.run("graph", "--from", "socket0").err())
                    .isEqualTo("muster graph: --from: containment has 4 vertices socket0, such as"
                            + " /cluster0/rack1/n1/socket0; name one by its path\n");
            assertThat(shell.run("feasible", "rack=2/node=2/socket=2/core=2").exit())
                    .isZero();
            assertThat(shell.run("feasible", "rack=2/node=2/socket=2/core=3").exit())
                    .isEqualTo(1);
        }
    }

    @Test
    void unknownSubsystemsFormatsAndDepthsAreRefused() {
        assertThat(muster("graph", "--subsystem", "power").err())
                .isEqualTo("muster graph: --subsystem: the graph has no power; it has containment\n");
        assertThat(muster("graph", "--format", "png"))
                .isEqualTo(new Result(2, "", "muster graph: --format: png is not one of tree, svg, dot and jgf\n"));
        assertThat(muster("graph", "--depth", "-1").exit()).isEqualTo(2);
    }
}
