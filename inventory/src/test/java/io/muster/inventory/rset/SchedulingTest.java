package io.muster.inventory.rset;

import static io.muster.inventory.rset.ResourceSetAlgebraTest.set;
import static io.muster.inventory.rset.ResourceSetAlgebraTest.shortForm;
import static io.muster.inventory.rset.ResourceSetParseTest.json;
import static io.muster.inventory.rset.ResourceSetParseTest.quoted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Pruned.Scheduling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchedulingTest {
    /** A graph in the form of Fluxion 0.54: paths, and no subsystem where the subsystem is containment. */
    private static final String FLUXION = graph("""
            {'id':'0','metadata':{'type':'cluster','basename':'tiny','id':0,'rank':-1,'paths':{'containment':'/tiny0'}}},
            {'id':'1','metadata':{'type':'rack','id':0,'rank':-1,'paths':{'containment':'/tiny0/rack0'}}},
            {'id':'2','metadata':{'type':'node','basename':'n','id':0,'rank':0,'paths':{'containment':'/tiny0/rack0/n0'}}},
            {'id':'3','metadata':{'type':'socket','id':0,'rank':0,'paths':{'containment':'/tiny0/rack0/n0/socket0'}}},
            {'id':'4','metadata':{'type':'core','id':0,'rank':-1,'paths':{'containment':'/tiny0/rack0/n0/socket0/core0'}}},
            {'id':'5','metadata':{'type':'gpu','id':2,'rank':0,'paths':{'containment':'/tiny0/rack0/n0/gpu2'}}},
            {'id':'6','metadata':{'type':'node','name':'n1','id':1,'rank':1,'paths':{'containment':'/tiny0/rack0/n1'}}},
            {'id':'7','metadata':{'type':'core','id':0,'rank':1,'paths':{'containment':'/tiny0/rack0/n1/core0'}}},
            {'id':'8','metadata':{'type':'core','id':1,'rank':1,'paths':{'containment':'/tiny0/rack0/n1/core1'}}}""", "0-1,1-2,2-3,3-4,2-5,1-6,6-7,6-8,6-1");

    /** A graph in the form of RFC 20 of 2023: no paths, and edges with explicit subsystem and relationship. */
    private static final String RFC20 = graph("""
            {'id':'c','metadata':{'type':'cluster','name':'c0','id':0}},
            {'id':'a','metadata':{'type':'node','name':'n0','id':0,'rank':0}},
            {'id':'b','metadata':{'type':'node','name':'n1','id':1,'rank':1}},
            {'id':'a0','metadata':{'type':'core','name':'core0','id':0}},
            {'id':'b0','metadata':{'type':'core','name':'core0','id':0}}""", "").replace("'edges':[]", """
            'edges':[{'source':'c','target':'a','metadata':{'subsystem':'containment','relationship':'contains'}},
            {'source':'a','target':'c','metadata':{'subsystem':'containment','relationship':'in'}},
            {'source':'c','target':'b','metadata':{'subsystem':'containment','relationship':'contains'}},
            {'source':'a','target':'a0','metadata':{'subsystem':'containment','relationship':'contains'}},
            {'source':'a','target':'b0','metadata':{'subsystem':'power','relationship':'supplies'}},
            {'source':'b','target':'b0','metadata':{'subsystem':'containment','relationship':'contains'}}]""");

    @Test
    void executionIsDerivedFromAGraphWithPaths() {
        ResourceSet r = ResourceSet.parse(quoted("{'version':1,'scheduling':" + FLUXION + "}"));

        assertThat(shortForm(r)).isEqualTo("rank0/core0,gpu2 rank1/core[0-1]");
        assertThat(r.hosts()).hasToString("n[0-1]");
        assertThat(Objects.requireNonNull(r.scheduling()).tree()).isEqualTo(json(quoted(FLUXION)));
        assertThat(ResourceSet.parse(r.toString())).isEqualTo(r);
    }

    @Test
    void executionIsDerivedFromAGraphWithEdgesOnly() {
        ResourceSet r = ResourceSet.parse(quoted("{'version':1,'scheduling':" + RFC20 + "}"));

        assertThat(shortForm(r)).isEqualTo("rank[0-1]/core0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'id':'0','metadata':{'type':'rack','name':'r 0'}}                  | /scheduling/graph/nodes/0/metadata/name: "r 0" cannot be the name of a host
            {'id':'0','metadata':{'type':'ssd','id':0,'rank':0}},{'id':'1','metadata':{'type':'ssd','id':1,'rank':1}} | /scheduling/graph/nodes: has vertices of several ranks but none of type node, so that their hosts are not known
            {'id':'0','metadata':{'type':'node','name':'n0','rank':0}},{'id':'1','metadata':{'type':'node','name':'n1'}} | /scheduling/graph/nodes/1/metadata/rank: n1 has no rank and other nodes have one; give all nodes a rank, or none
            {'id':'0','metadata':{'type':'node','name':'n0','rank':7}},{'id':'1','metadata':{'type':'node','id':1,'rank':7}} | /scheduling/graph/nodes/1/metadata/rank: rank 7 is both n0 and node1
            {'id':'0','metadata':{'type':'node','name':'n[0-1]','rank':0}}      | /scheduling/graph/nodes/0/metadata/name: "n[0-1]" cannot be the name of a host
            {'id':'0','metadata':{'type':'core','size':4294967296}}             | /scheduling/graph/nodes/0/metadata/size: core0 makes more units on one node than an idset can name
            {'id':'0','metadata':{'type':'','id':3}}                            | /scheduling/graph/nodes/0 (vertex "0"): metadata.type must be a non-empty string
            """)
    void saysWhyExecutionCanNotBeDerived(String vertices, String problem) {
        String r = quoted("{'version':1,'scheduling':" + graph(vertices, "") + "}");

        assertThatExceptionOfType(InvalidException.class)
                .isThrownBy(() -> ResourceSet.parse(r))
                .satisfies(e -> assertThat(e.problems()).hasToString("[" + problem + "]"));
    }

    /** RFC 20 of 2023 does not require that a vertex has a rank, that a vertex has the type node, or that a core is within a node. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            {'id':'c','metadata':{'type':'cluster','id':0}},{'id':'x','metadata':{'type':'node','name':'b'}},{'id':'y','metadata':{'type':'node','name':'a'}},{'id':'z','metadata':{'type':'core','id':5}} | c-x,c-y,y-z | rank1/core5 | b,a
            {'id':'h','metadata':{'type':'rack','name':'h7'}},{'id':'0','metadata':{'type':'core','id':0}},{'id':'1','metadata':{'type':'gpu','id':0}} | h-0,0-1 | rank0/core0,gpu0 | h7
            {'id':'h','metadata':{'type':'server','name':'h7','rank':3}},{'id':'0','metadata':{'type':'core','id':4,'rank':3}} | h-0 | rank3/core4 | h7
            {'id':'c','metadata':{'type':'rack','name':'r'}},{'id':'n','metadata':{'type':'node','name':'n','rank':2}},{'id':'0','metadata':{'type':'core','id':1,'rank':2}},{'id':'1','metadata':{'type':'core','id':9,'rank':8}},{'id':'2','metadata':{'type':'core','id':9}} | c-n,c-0,c-1,c-2 | rank2/core1 | n
            {'id':'n','metadata':{'type':'node','name':'n'}},{'id':'0','metadata':{'type':'core','id':1}},{'id':'1','metadata':{'type':'core','size':3,'name':'p'}},{'id':'g','metadata':{'type':'gpu','name':'big'}} | n-0,n-1,n-g | rank0/core[0-3],gpu0 | n
            """)
    void executionIsDerivedFromGraphsWithoutRanksNodesOrNesting(
            String vertices, String edges, String units, String hosts) {
        ResourceSet r = ResourceSet.parse(quoted("{'version':1,'scheduling':" + graph(vertices, edges) + "}"));

        assertThat(shortForm(r)).endsWith(units);
        assertThat(r.hosts()).hasToString(hosts);
        Problems problems = new Problems();
        Agreement.check(
                r.withScheduling(json(quoted(graph(vertices, edges).replace("'writer':'w'", "'x':1")))), problems);
        assertThat(problems.errors()).isEmpty();
    }

    @Test
    void aStoredGraphWithAVertexOfSize0IsPruned() {
        String stored = FLUXION.replaceFirst("'type':'rack',", "'type':'rack','size':0,");
        assertThat(withScheduling(stored).prune(Idset.of(0)).scheduling()).isEqualTo(Scheduling.PRUNED);
    }

    @Test
    void removingARankRemovesItsVerticesFromTheGraph() {
        Pruned pruned = withScheduling(FLUXION).prune(Idset.of(0, 77));

        assertThat(pruned.scheduling()).isEqualTo(Scheduling.PRUNED);
        assertThat(pruned.resources().ranks()).isEqualTo(Idset.of(1));
        assertThat(ids(pruned)).isEqualTo("0,1,6,7,8 0-1,1-6,6-7,6-8,6-1");
        assertThat(Objects.requireNonNull(pruned.resources().scheduling())
                        .tree()
                        .get("writer"))
                .isEqualTo(json("\"w\""));
    }

    @Test
    void onlyContainmentEdgesThatLeadDownExtendARemoval() {
        assertThat(ids(withScheduling(RFC20).prune(Idset.of(0)))).isEqualTo("c,b,b0 c-b,b-b0");
        assertThat(ids(withScheduling(RFC20).prune(Idset.of(1)))).isEqualTo("c,a,a0 c-a,a-c,a-a0");
    }

    /** An instance that another instance started renumbers its ranks but not its graph. */
    @Test
    void aVertexIsIdentifiedByItsHostBeforeItsRank() {
        ResourceSet renumbered = set("n1,n0", "0-1", "0-1", "").withScheduling(json(quoted(FLUXION)));

        assertThat(ids(renumbered.prune(Idset.of(0)))).isEqualTo("0,1,2,3,4,5 0-1,1-2,2-3,3-4,2-5");
    }

    @Test
    void aVertexIsIdentifiedByItsRankIfItsHostIsUnknownOrHasSeveralRanks() {
        ResourceSet others = set("x,y", "0-1", "0-1", "").withScheduling(json(quoted(FLUXION)));
        ResourceSet shared = set("n0,n0", "0-1", "0-1", "").withScheduling(json(quoted(FLUXION)));

        assertThat(ids(others.prune(Idset.of(0)))).startsWith("0,1,6,7,8 ");
        assertThat(ids(shared.prune(Idset.of(0)))).startsWith("0,1,6,7,8 ");
    }

    @Test
    void aVertexOutsideOfNodesIsRemovedWithItsOwnRank() {
        String disaggregated = graph("""
                {'id':'0','metadata':{'type':'cluster','id':0,'rank':-1,'paths':{'containment':'/c'}}},
                {'id':'1','metadata':{'type':'ssd','id':0,'rank':0,'paths':{'containment':'/c/ssd0'}}},
                {'id':'2','metadata':{'type':'part','id':0,'rank':-1,'paths':{'containment':'/c/ssd0/part0'}}},
                {'id':'3','metadata':{'type':'ssd','id':1,'rank':1,'paths':{'containment':'/c/ssd1'}}}""", "0-1,1-2,0-3");

        assertThat(ids(withScheduling(disaggregated).prune(Idset.of(0)))).isEqualTo("0,3 0-3");
    }

    @Test
    void aCyclicGraphIsPruned() {
        String circle = graph(
                "{'id':'0','metadata':{'type':'a'}},{'id':'1','metadata':{'type':'b'}},"
                        + "{'id':'2','metadata':{'type':'node','name':'n0','rank':0}}",
                "0-1,1-0,2-2");

        assertThat(ids(withScheduling(circle).prune(Idset.of(0)))).isEqualTo("0,1 0-1,1-0");
    }

    @Test
    void aGraphThatDoesNotNameTheRemovedRanksIsKept() {
        ResourceSet r = withScheduling(FLUXION).union(set("z", "9", "0", ""));

        Pruned pruned = r.prune(Idset.of(9));

        assertThat(pruned.scheduling()).isEqualTo(Scheduling.KEPT);
        assertThat(pruned.resources().scheduling()).isEqualTo(r.scheduling());
        assertThat(r.prune(Idset.of(10)).resources()).isEqualTo(r);
    }

    @ParameterizedTest
    @ValueSource(strings = {"42", "{'writer':'TreePool','children':{}}", "{'graph':{'nodes':{}}}", "'x'"})
    void schedulingWithoutAReadableGraphIsDroppedWhenARankIsRemoved(String scheduling) {
        Pruned pruned = withScheduling(scheduling).prune(Idset.of(0));

        assertThat(pruned.scheduling()).isEqualTo(Scheduling.DROPPED);
        assertThat(pruned.resources().scheduling()).isNull();
        assertThat(withScheduling(scheduling).prune(Idset.EMPTY).scheduling()).isEqualTo(Scheduling.KEPT);
    }

    @Test
    void theOfferedGraphHasThePropertiesOfR() {
        String graph = FLUXION.replace("'name':'n1',", "'name':'n1','properties':{'frame':'7','old':'','own':'x'},")
                .replace("'writer':'w'", "'writer':'fluxion'");
        ResourceSet r =
                withScheduling(graph).withProperty("frame=7", Idset.of(0, 1)).withProperty("ssd", Idset.of(1));

        Pruned offered = r.prune(Idset.EMPTY).withPropertiesInGraph(Map.of("old", Idset.of(0, 1)));

        assertThat(offered.resources().properties()).isEqualTo(r.properties());
        List<String> found = new ArrayList<>();
        Objects.requireNonNull(offered.resources().scheduling())
                .tree()
                .at("/graph/nodes")
                .forEach(vertex -> found.add(vertex.at("/metadata/properties").toString()));
        assertThat(found)
                .containsExactly(
                        "",
                        "",
                        "{\"frame=7\":\"\"}",
                        "",
                        "",
                        "",
                        "{\"frame\":\"7\",\"own\":\"x\",\"ssd\":\"\"}",
                        "",
                        "");
        Pruned again = offered.resources().prune(Idset.EMPTY);
        assertThat(again.withPropertiesInGraph(Map.of())).isSameAs(again);
        Pruned unread = withScheduling(FLUXION).withProperty("ssd", Idset.of(1)).prune(Idset.EMPTY);
        assertThat(unread.withPropertiesInGraph(Map.of()))
                .as("of another scheduler")
                .isSameAs(unread);
    }

    @Test
    void aSetWithoutSchedulingReportsItAsAbsent() {
        Pruned pruned = set("a", "0", "0", "").prune(Idset.of(0));

        assertThat(pruned).isEqualTo(new Pruned(ResourceSet.EMPTY, Scheduling.ABSENT));
    }

    private static ResourceSet withScheduling(String scheduling) {
        return set("n[0-1]", "0-1", "0-1", "").withScheduling(json(quoted(scheduling)));
    }

    /** Returns the ids of the vertices and the ends of the edges that remain. */
    private static String ids(Pruned pruned) {
        JsonNode graph =
                Objects.requireNonNull(pruned.resources().scheduling()).tree().get("graph");
        return joined(graph.get("nodes"), "id", null) + " " + joined(graph.get("edges"), "source", "target");
    }

    private static String joined(JsonNode array, String key, @Nullable String other) {
        return String.join(
                ",",
                StreamSupport.stream(array.spliterator(), false)
                        .map(item -> item.get(key).asText()
                                + (other == null ? "" : "-" + item.get(other).asText()))
                        .toList());
    }

    /** Returns a graph whose edges are given as {@code source-target}. */
    private static String graph(String vertices, String edges) {
        String list = edges.isEmpty()
                ? ""
                : "{'source':'" + edges.replace(",", "'},{'source':'").replace("-", "','target':'") + "'}";
        return "{'graph':{'nodes':[" + vertices + "],'edges':[" + list + "]},'writer':'w'}";
    }
}
