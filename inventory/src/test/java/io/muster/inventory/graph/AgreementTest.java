package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AgreementTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TreePool|",
                "other:fluxion|",
                "fluxion|/scheduling/graph",
                "fluxion:x|/scheduling/graph",
                "7|/scheduling/writer"
            })
    void onlyGraphsWrittenByFluxionAreChecked(String writer, String place) {
        String text = writer.equals("7") ? writer : "\"" + writer + "\"";
        ResourceSet r = ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0\",\"children\":"
                + "{\"core\":\"0\"}}],\"nodelist\":[\"a\"]},\"scheduling\":{\"writer\":" + text + ",\"graph\":[1]}}");
        Problems problems = new Problems();
        Agreement.check(r, problems);
        assertThat(problems.errors())
                .extracting(Problem::place)
                .containsExactlyElementsOf(place == null ? List.of() : List.of(place));
    }

    private final List<String> nodes = new ArrayList<>();
    private final List<String> edges = new ArrayList<>();
    private String writer = "";

    private void vertex(String id, String parent, String metadata) {
        nodes.add("{\"id\":\"" + id + "\",\"metadata\":{" + metadata + "}}");
        if (!parent.isEmpty()) {
            edge(parent, id);
        }
    }

    private void edge(String source, String target) {
        edges.add("{\"source\":\"" + source + "\",\"target\":\"" + target + "\"}");
    }

    /** The cluster is vertex c, node N is vertex nN, its cores cN.0 and so on. */
    private void machine(int count, int cores) {
        vertex("c", "", "\"type\":\"cluster\"");
        for (int n = 0; n < count; n++) {
            vertex("n" + n, "c", "\"type\":\"node\",\"id\":" + n + ",\"rank\":" + n);
            for (int core = 0; core < cores; core++) {
                vertex("c" + n + "." + core, "n" + n, "\"type\":\"core\",\"id\":" + core + ",\"rank\":" + n);
            }
        }
    }

    private static ResourceSet r(int ranks, int cores, String rest) {
        return ResourceSet.parse("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"" + Idset.range(0, ranks - 1)
                + "\",\"children\":{\"core\":\"" + Idset.range(0, cores - 1) + "\"}}],\"nodelist\":[\"node[0-"
                + (ranks - 1)
                + "]\"]}" + rest + "}");
    }

    private String scheduling() {
        return ",\"scheduling\":{" + writer + "\"graph\":{\"nodes\":[" + String.join(",", nodes) + "],\"edges\":["
                + String.join(",", edges) + "]}}";
    }

    private List<String> problems(int ranks, int cores) {
        return problems(r(ranks, cores, scheduling()));
    }

    private static List<String> problems(ResourceSet r) {
        Problems problems = new Problems();
        Agreement.check(r, problems);
        return problems.errors().stream().map(Object::toString).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'attributes':5 | /attributes: must be an object",
                "'attributes':{'x':1} | /attributes/x: is not a key of RFC 20, which has only system here",
                "'attributes':{'system':1} | /attributes/system: must be an object",
                "'attributes':{'system':{'scheduler':'batch'}} | /attributes/system/scheduler: must be an object",
                "'attributes':{'system':{'scheduler':{'queue':'batch'}}},'scheduling':5 | /scheduling: must be an object",
                "'scheduling':'x' | /scheduling: must be an object",
                "'scheduling':{'graph':5} | /scheduling/graph: must be a dictionary",
                "'scheduling':{'graph':{'nodes':5,'edges':[{'source':'0','target':'1'}]}} | /scheduling/graph/nodes: must be a list",
                "'scheduling':{'graph':{'nodes':[],'edges':[]}} | /scheduling/graph/nodes: must list at least one vertex",
                "'scheduling':{'graph':{'nodes':[{'id':'0','metadata':{'type':'node'}}]}} | /scheduling/graph/edges: is missing",
            })
    void malformedInputIsRefusedWithItsPosition(String members, String problem) {
        assertThat(problems(r(1, 1, "," + members.replace('\'', '"')))).containsExactly(problem);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'attributes':null",
                "'scheduling':null",
                "'scheduling':{}",
                "'scheduling':{'writer':'TreePool','children':[]}",
                "'x':5"
            })
    void membersThatMusterDoesNotInterpretAreAccepted(String member) {
        assertThat(problems(r(1, 1, "," + member.replace('\'', '"')))).isEmpty();
    }

    @Test
    void aGraphThatAgreesWithRLiteIsAccepted() {
        machine(3, 4);
        assertThat(problems(3, 4)).isEmpty();
    }

    @Test
    void aDifferentNumberOfCoresIsRefused() {
        machine(2, 2);
        assertThat(problems(2, 8))
                .containsExactly(
                        "/scheduling/graph/nodes/1: node0 has 2 of type core in the graph, and rank 0 has 8 in R_lite",
                        "/scheduling/graph/nodes/4: node1 has 2 of type core in the graph, and rank 1 has 8 in R_lite");
        assertThat(problems(2, 1))
                .first()
                .isEqualTo(
                        "/scheduling/graph/nodes/1: node0 has 2 of type core in the graph, and rank 0 has 1 in R_lite");
    }

    @Test
    void gpusAreCompared() {
        machine(1, 2);
        vertex("g", "n0", "\"type\":\"gpu\",\"id\":0");
        assertThat(problems(1, 2))
                .containsExactly(
                        "/scheduling/graph/nodes/1: node0 has 1 of type gpu in the graph, and rank 0 has 0 in R_lite");
    }

    @Test
    void aPoolCountsAsItsSize() {
        vertex("c", "", "\"type\":\"cluster\"");
        vertex("n", "c", "\"type\":\"node\",\"id\":0,\"rank\":0");
        vertex("p", "n", "\"type\":\"core\",\"size\":8");
        assertThat(problems(1, 8)).isEmpty();
        assertThat(problems(1, 9)).hasSize(1);
    }

    @Test
    void aRankWithoutAVertexIsRefusedAndAVertexWithoutARankIsAccepted() {
        machine(3, 2);
        assertThat(problems(2, 2)).isEmpty();
        assertThat(problems(4, 2))
                .containsExactly("/scheduling/graph/nodes: no vertex stands for rank 3 (node3), which R_lite has");
    }

    @Test
    void omittedChildrenAreAcceptedIfAllAreOmittedOrTheWriterIsShorthand() {
        machine(2, 0);
        assertThat(problems(2, 8)).as("nodes that a job has as a whole").isEmpty();
        vertex("x", "n0", "\"type\":\"core\",\"id\":0");
        assertThat(problems(2, 8)).hasSize(1);
        writer = "\"writer\":\"fluxion:jgf_shorthand\",";
        assertThat(problems(2, 8)).isEmpty();
    }

    @Test
    void aSocketOrARackMayBeGivenWithoutItsChildren() {
        machine(1, 2);
        vertex("s", "n0", "\"type\":\"socket\",\"id\":1");
        assertThat(problems(1, 4)).isEmpty();
        assertThat(problems(1, 1)).as("a socket has no fewer than none").hasSize(1);
        vertex("r0", "c", "\"type\":\"rack\",\"id\":0");
        assertThat(problems(2, 4))
                .as("no other rack holds a node, so that this one holds none")
                .hasSize(1);
        vertex("r1", "c", "\"type\":\"rack\",\"id\":1");
        vertex("n9", "r1", "\"type\":\"node\",\"id\":9,\"rank\":9");
        assertThat(problems(2, 4)).isEmpty();
    }

    @Test
    void socketsMayEachNumberTheirCoresFromZero() {
        vertex("c", "", "\"type\":\"cluster\"");
        vertex("n", "c", "\"type\":\"node\",\"id\":0,\"rank\":0");
        for (String socket : List.of("s0", "s1")) {
            vertex(socket, "n", "\"type\":\"socket\",\"id\":" + socket.charAt(1));
            vertex(socket + "c0", socket, "\"type\":\"core\",\"id\":0");
            vertex(socket + "c1", socket, "\"type\":\"core\",\"id\":1");
        }
        assertThat(problems(1, 4)).isEmpty();
        assertThat(problems(1, 2)).isEmpty();
        assertThat(problems(1, 3))
                .as("3 is neither the cores nor their numbers")
                .hasSize(1);
        assertThat(problems(1, 1)).hasSize(1);
        assertThat(problems(1, 5)).hasSize(1);
    }

    @Test
    void hostsAreMatchedBeforeRanks() {
        vertex("c", "", "\"type\":\"cluster\"");
        vertex("n1", "c", "\"type\":\"node\",\"name\":\"node1\",\"rank\":0");
        vertex("x", "n1", "\"type\":\"core\",\"id\":0");
        vertex("n0", "c", "\"type\":\"node\",\"name\":\"node0\",\"rank\":1");
        vertex("y", "n0", "\"type\":\"core\",\"id\":0");
        assertThat(problems(2, 1)).isEmpty();
        vertex("again", "c", "\"type\":\"node\",\"name\":\"node0\",\"rank\":0");
        assertThat(problems(2, 1)).containsExactly("/scheduling/graph/nodes/5: rank 0 is both node0 and node0");
    }

    @Test
    void ranksOfOneHostAreMatchedByTheRanksOfTheVertices() {
        String edgesAndNodes;
        machine(2, 1);
        edgesAndNodes = scheduling().replace("\"type\":\"node\",", "\"type\":\"node\",\"name\":\"h\",");
        String r = r(2, 1, edgesAndNodes).toString();
        assertThat(problems(ResourceSet.parse(r.replace("node[0-1]", "h,h")))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'type':'core','size':0 | metadata.size must be an integer of 1 or more, not 0",
                "'type':'core','size':-1 | metadata.size must be an integer of 1 or more, not -1",
                "'type':'core','size':0.5 | metadata.size must be an integer of 1 or more, not 0.5",
                "'size':1 | metadata.type must be a non-empty string",
                "'type':'core','paths':5 | metadata.paths must be a dictionary of paths by subsystem",
            })
    void aMalformedVertexIsRefused(String metadata, String sentence) {
        machine(1, 1);
        vertex("z", "n0", metadata.replace('\'', '"'));
        assertThat(problems(1, 2)).contains("/scheduling/graph/nodes/3 (vertex \"z\"): " + sentence);
    }

    @Test
    void idsAndEdgesAreChecked() {
        machine(2, 1);
        edge("n0", "c1.0");
        assertThat(problems(2, 1))
                .containsExactly("/scheduling/graph: vertex \"c1.0\" (core0) has two parents in containment");
        edges.remove(edges.size() - 1);
        edge("n0", "nowhere");
        assertThat(problems(2, 1)).containsExactly("/scheduling/graph/edges/4/target: there is no vertex \"nowhere\"");
        edges.remove(edges.size() - 1);
        nodes.add(nodes.get(1));
        assertThat(problems(2, 1))
                .containsExactly(
                        "/scheduling/graph/nodes/5 (vertex \"n0\"): the id is already taken by another vertex");
        nodes.set(5, "{\"metadata\":{\"type\":\"node\"}}");
        assertThat(problems(2, 1)).contains("/scheduling/graph/nodes/5: id is missing");
    }

    @Test
    void theExceptionNamesEveryContradiction() {
        assertThatThrownBy(() -> Agreement.require(r(1, 1, ",\"scheduling\":5,\"attributes\":5")))
                .isInstanceOf(InvalidException.class)
                .hasMessage("R: /attributes: must be an object; /scheduling: must be an object");
    }
}
