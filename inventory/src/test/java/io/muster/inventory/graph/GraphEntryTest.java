package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GraphEntryTest {
    private static List<GraphEntry> read(String json, Problems problems) throws IOException {
        return GraphEntry.readAll(new JsonMapper().readTree(json.replace('\'', '"')), "graph", problems);
    }

    private static List<GraphEntry> read(String json) throws IOException {
        Problems problems = new Problems();
        List<GraphEntry> entries = read(json, problems);
        assertThat(problems.errors()).isEmpty();
        return entries;
    }

    private static ResourceSet machine(String hosts, int cores, int gpus) {
        Hostlist list = Hostlist.parse(hosts);
        Idset ids = gpus == 0 ? Idset.EMPTY : Idset.range(0, gpus - 1);
        return ResourceSet.of(list, Idset.range(0, list.size() - 1), Idset.range(0, cores - 1), ids, Map.of());
    }

    private static List<String> paths(ResourceGraph graph, String subsystem) {
        List<String> paths = new ArrayList<>();
        Walker.of(graph, subsystem).walk(v -> paths.add(v.path()));
        return paths;
    }

    /** The entries of ten lines of TOML. */
    private static final String RACKS = """
            [{'type': 'rack', 'count': 139, 'hosts': 'node[0-9999]'},
             {'type': 'pdu', 'count': 35, 'holds': 'rack', 'each': 4, 'subsystem': 'power'}]
            """;

    @Test
    void entriesPlaceNodesInRacksAndRacksBelowPdus() throws IOException {
        ResourceGraph graph = Structure.of(machine("node[0-9999]", 64, 4), read(RACKS), Detail.POOLS);
        assertThat(graph.size()).isEqualTo(1 + 10_000 + 139 + 35 + 1 + 2 * 10_000);
        assertThat(graph.path(1 + 9999, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/rack138/node9999");
        assertThat(graph.path(1 + 72, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/rack1/node72");
        assertThat(graph.path(10_001 + 4, "power")).isEqualTo("/power0/pdu1/rack4");
        assertThat(graph.pool(graph.root("power")).type()).isEqualTo("power");
    }

    @Test
    void aNodeKeepsItsRackWhenRChanges() throws IOException {
        ResourceSet r =
                machine("node[0-9999]", 1, 0).remove(Idset.range(0, 500)).rerank(Hostlist.parse("node[9999,501-9998]"));
        ResourceGraph graph = Structure.of(r, read(RACKS), Detail.NODES);
        assertThat(graph.path(1, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/rack138/node9999");
        assertThat(graph.path(2, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/rack6/node501");
    }

    @Test
    void coresAndGpusAreDividedOverSockets() throws IOException {
        List<GraphEntry> entries = read("""
                [{'type': 'socket', 'in': 'node', 'count': 2, 'holds': ['core', 'gpu'], 'hosts': 'a'},
                 {'type': 'memory', 'in': 'socket', 'size': 256, 'unit': 'GB', 'properties': {'kind': 'hbm'}}]
                """);
        ResourceGraph graph = Structure.of(machine("a,b", 3, 1), entries, Detail.UNITS);
        assertThat(paths(graph, EdgeKind.CONTAINMENT))
                .containsExactly(
                        "/cluster0/a/socket0/memory0",
                        "/cluster0/a/socket0/core0",
                        "/cluster0/a/socket0/core1",
                        "/cluster0/a/socket0/gpu0",
                        "/cluster0/a/socket0",
                        "/cluster0/a/socket1/memory0",
                        "/cluster0/a/socket1/core2",
                        "/cluster0/a/socket1",
                        "/cluster0/a",
                        "/cluster0/b/core0",
                        "/cluster0/b/core1",
                        "/cluster0/b/core2",
                        "/cluster0/b/gpu0",
                        "/cluster0/b",
                        "/cluster0");
        Pool memory = graph.pool(5);
        assertThat(memory.size() + memory.unit()).isEqualTo("256GB");
        assertThat(memory.properties()).containsExactly(Map.entry("kind", "hbm"));
    }

    @Test
    void aMillionNodesInRacksAreStoredAsColumns() throws IOException {
        List<GraphEntry> entries = read("""
                [{'type': 'rack', 'count': 16384, 'hosts': 'n[0-1048575]'},
                 {'type': 'socket', 'in': 'node', 'count': 2, 'holds': ['core', 'gpu']}]
                """);
        ResourceGraph graph = Structure.of(machine("n[0-1048575]", 64, 8), entries, Detail.UNITS);
        assertThat(graph.size()).isEqualTo(1 + 1_048_576 * 75 + 16384);
        assertThat(graph.path(graph.size() - 1, EdgeKind.CONTAINMENT))
                .isEqualTo("/cluster0/rack16383/n1048575/socket1/gpu7");
        assertThat(graph.rank(graph.size() - 1)).isEqualTo(1_048_575);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}                                                            | graph: must be an array of tables, not an object
            [1]                                                           | graph/0: must be a table, not a number
            [{}]                                                          | graph/0/type: is missing
            [{'type':'a','colour':1}]                                     | graph/0/colour: is not known; known are type, names, count, size, unit, properties, in, hosts, holds, each, subsystem, relationship, direction
            [{'type':5}]                                                  | graph/0/type: must be a string, not a number
            [{'type':'a/b'}]                                              | graph/0/type: must be a word of letters, digits and _.- that begins with a letter, not "a/b"
            [{'type':'node'}]                                             | graph/0/type: an entry cannot add vertices of type node: they are those of R
            [{'type':'a','size':9223372036854775808}]                     | graph/0/size: must be a whole number from 1 to 9223372036854775807, not 9223372036854775808
            [{'type':'a','size':-1}]                                      | graph/0/size: must be a whole number from 1 to 9223372036854775807, not -1
            [{'type':'a','count':0}]                                      | graph/0/count: must be a whole number from 1 to 1048576, not 0
            [{'type':'a','count':2,'names':'b'}]                          | graph/0/count: cannot be given together with names, because the number of names is the count
            [{'type':'a','names':'b,b'}]                                  | graph/0/names: contains the same name twice
            [{'type':'a','names':'b/c'}]                                  | graph/0/names: may not contain a slash, which separates the names in a path
            [{'type':'a','hosts':'n[1'}]                                  | graph/0/hosts: hostlist "n[1": '[' is never closed at position 1
            [{'type':'a','holds':[1]}]                                    | graph/0/holds: must be a type or an array of types, not a number
            [{'type':'a','properties':{'x':1}}]                           | graph/0/properties: x must be a string, not a number
            [{'type':'a','unit':'G\\u0007'}]                              | graph/0/unit: may contain printable ASCII characters only
            [{'type':'a','direction':'up'}]                               | graph/0/direction: must be down, both or opposite, not up
            [{'type':'a','relationship':'in'}]                            | graph/0/relationship: points up; write direction = "opposite" for edges both down and up
            [{'type':'a','in':'b'},{'type':'b','in':'a'}]                 | graph/0/type: a contains itself, directly or through other entries
            [{'type':'a','holds':'b'},{'type':'b','holds':'a'}]           | graph/0/type: a contains itself, directly or through other entries
            [{'type':'a','in':'b'}]                                       | graph/0/in: no entry of subsystem containment has the type b
            [{'type':'a','holds':'b'}]                                    | graph/0/holds: no entry above the nodes has the type b
            [{'type':'a','holds':'node'}]                                 | graph/0/holds: name the nodes with the key hosts, so that they keep their places if R changes
            [{'type':'a','in':'node'},{'type':'a'},{'type':'b','in':'a'}] | graph/2/in: a is both above the nodes and in them
            [{'type':'a','hosts':'n[1-2]'},{'type':'b','hosts':'n[2-3]'}] | graph/1/hosts: n2 is in an earlier entry already
            [{'type':'a','holds':['b','b']}]                              | graph/0/holds: contains the same name twice
            [{'type':'a','hosts':'n1,n1'}]                                | graph/0/hosts: contains the same name twice
            [{'type':'a','count':2,'hosts':'n[1-9]','each':4}]            | graph/0/hosts: names 9, but 2 x 4 have only 8 places
            [{'type':'a','each':4}]                                       | graph/0/each: needs hosts or holds: it says how many of them each vertex gets
            [{'type':'a','names':'b[1-3]'},{'type':'c','names':'b3'}]     | graph/1/names: b3 is in an earlier entry already
            [{'type':'a'},{'type':'b','holds':'a'},{'type':'c','holds':'a'}] | graph/2/holds: a is held by an earlier entry already
            [{'type':'b'},{'type':'a','in':'b'},{'type':'c','holds':'a'}] | graph/2/holds: a has a place already, given by the key in of its own entry
            [{'type':'a','in':'node','holds':'core'},{'type':'b','in':'node','holds':'core','hosts':'n1'}] | graph/1/holds: core is held by an earlier entry already
            [{'type':'a','in':'node','count':2},{'type':'a','in':'node','hosts':'n1'}] | graph/1/names: a0 is in an earlier entry already
            [{'type':'a','in':'node','holds':'b'},{'type':'b','in':'a'}]  | graph/0/holds: write in = "a" in the entry of type b
            [{'type':'a','count':1048576},{'type':'b','in':'a','count':17}] | graph/1/count: this makes 18874368 vertices above the nodes; the limit is 16777216
            [{'type':'a','in':'node','count':1048576}]                    | graph/0/count: this makes 1048576 parts in a node; the limit is 65536
            [{'type':'cluster','count':2}]                                | graph/0/type: cluster is the root: an entry for it may give one name, and neither in, holds, each, hosts nor a subsystem
            """)
    void badEntriesAreRefusedWithTheirPlace(String json, String problem) throws IOException {
        Problems problems = new Problems();
        read(json, problems);
        assertThat(problems.errors()).extracting(Problem::toString).contains(problem);
    }

    /** Power from two sides is legal; a rack in two rows is not. */
    @Test
    void aNodeMayHaveTwoParentsInAFlow() throws IOException {
        String twice = "{'type': '%s', 'hosts': 'n[0-3]', 'subsystem': 'power'}";
        List<GraphEntry> entries = read("[" + twice.replace("%s", "a") + "," + twice.replace("%s", "b") + "]");
        ResourceGraph graph = Structure.of(machine("n[0-3]", 1, 0), entries, Detail.NODES);
        List<Integer> above = new ArrayList<>();
        graph.forEachEdge((source, target, kind) ->
                above.add(target == 1 && kind.relationship().equals("conduit-of") ? source : -1));
        assertThat(above).contains(5, 6);
    }

    @Test
    void levelsAreBounded() throws IOException {
        StringBuilder json = new StringBuilder("[{'type': 't0'}");
        for (int i = 1; i < 200; i++) {
            json.append(",{'type':'t")
                    .append(i)
                    .append("','in':'t")
                    .append(i - 1)
                    .append("'}");
        }
        Problems problems = new Problems();
        read(json.append(']').toString(), problems);
        assertThat(problems.errors())
                .extracting(Problem::toString)
                .contains("graph/40/type: is at level 41 of its subsystem; the limit is 40");
    }
}
