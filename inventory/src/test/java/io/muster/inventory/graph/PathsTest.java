package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathsTest {
    private static final ResourceSet R = ResourceSet.of(
            Hostlist.parse("n[0-3]"), Idset.range(10, 13), Idset.range(0, 1), Idset.range(0, 3), Map.of());

    /** Two racks with two nodes each, one gpu in each node, and a power supply for the nodes of the first rack. */
    private static ResourceGraph racks() {
        ResourceGraph.Builder graph = ResourceGraph.builder();
        int cluster = graph.vertex("c", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        int power = graph.vertex("p", Pool.of(PoolKind.of("power", 1), 0), -1);
        int pdu = graph.vertex("pdu", Pool.of(PoolKind.of("pdu", 1), 3), -1);
        graph.edge(power, pdu, EdgeKind.of("power", EdgeKind.CONDUIT_OF));
        for (int rack = 0; rack < 2; rack++) {
            int r = graph.vertex("r" + rack, Pool.of(PoolKind.of("rack", 1), rack), -1);
            graph.edge(cluster, r, EdgeKind.contains());
            for (int i = 0; i < 2; i++) {
                int id = 2 * rack + i;
                PoolKind kind = new PoolKind("node", "n", 1, "", new TreeMap<>());
                int node = graph.vertex("n" + id, new Pool(kind, id, "n" + id, Map.of()), -1);
                graph.edge(r, node, EdgeKind.contains());
                int gpu = graph.vertex("g" + id, Pool.of(PoolKind.of("gpu", 1), 3), -1);
                graph.edge(node, gpu, EdgeKind.contains());
                if (rack == 0) {
                    graph.edge(pdu, node, EdgeKind.of("power", EdgeKind.CONDUIT_OF));
                }
            }
        }
        return graph.build();
    }

    private static List<String> places(ResourceGraph graph, String path) {
        List<String> places = new ArrayList<>();
        Paths paths = new Paths(graph, R);
        paths.locate(paths.find(path), (rank, below) -> places.add(rank + " " + below), places::add);
        return places;
    }

    /** A licence has no place in the containment of hosts, and the path /lic0. */
    @Test
    void aVertexWithoutEdgesHasAPathOfItsNameAlone() {
        ResourceGraph.Builder builder = ResourceGraph.builder();
        builder.vertex("l", Pool.of(PoolKind.of("lic", 10), 0), -1);
        int cluster = builder.vertex("c", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        int node = builder.vertex("n", new Pool(PoolKind.of("node", 1), 0, "n0", Map.of()), 10);
        ResourceGraph graph = builder.edge(cluster, node, EdgeKind.contains()).build();
        assertThat(graph.address(0)).isEqualTo("/lic0");
        assertThat(places(graph, "/lic0")).containsExactly("/lic0");
        assertThat(graph.paths(0)).isEqualTo(Map.of(EdgeKind.CONTAINMENT, "/lic0"));
        assertThat(places(graph, "/cluster0/n0")).containsExactly("10 ");
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 9).tree(Picture.Lines.ASCII, 80, (state, text) -> text))
                .isEqualTo("lic0 = 10\ncluster0\n`- n0 (node)\n");
        assertThat(Jgf.toJson(Jgf.read(Jgf.toJson(graph, Jgf.Form.TERSE)), Jgf.Form.TERSE))
                .isEqualTo(Jgf.toJson(graph, Jgf.Form.TERSE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/cluster0|/cluster0",
                "/cluster0/rack1|/cluster0/rack1",
                "/cluster0/rack1/n2|12 ",
                "/cluster0/rack1/n3/gpu3|13 gpu3",
                "/cluster0/rack[0-1]/n[0-3]/gpu3|10 gpu3,11 gpu3,12 gpu3,13 gpu3",
                "/cluster0/rack0/n[0-1]|10 ,11 ",
                "power:/power0/pdu3|power:/power0/pdu3",
                "power:/power0/pdu3/n1|11 ",
            })
    void theVerticesOfAPathAreLocatedByRankOrByAbsolutePath(String path, String expected) {
        assertThat(String.join(",", places(racks(), path)).strip()).isEqualTo(expected.strip());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cluster0|cluster0 is not a path: a path begins with / or with SUBSYSTEM:/",
                "/cluster1|no vertex has the path /cluster1: no path begins with /cluster1",
                "/cluster0/rack1/n0|no vertex has the path /cluster0/rack1/n0: /cluster0/rack1 has no n0",
                "/cluster0/rack[1-2]|no vertex has the path /cluster0/rack[1-2]: /cluster0 has no rack2: name in brackets only what exists",
                "/cluster0/rack1/|no vertex has the path /cluster0/rack1/: /cluster0/rack1 has no ",
                ":/cluster0|:/cluster0 is not a path: a path begins with / or with SUBSYSTEM:/",
                "I/O:/cluster0|no vertex has the path I/O:/cluster0: the graph has no subsystem I/O; it has containment, power",
                "/cluster0/rack[1|/cluster0/rack[1 is not a path: hostlist \"rack[1\": ",
                "/cluster0/rack[0-131072]|the request names more than 131072 vertices at /cluster0/rack[0-131072]: name fewer",
                "water:/x|no vertex has the path water:/x: the graph has no subsystem water; it has containment, power",
            })
    void unknownAndMalformedPathsAreRefusedWithTheReason(String path, String sentence) {
        assertThatThrownBy(() -> places(racks(), path))
                .isInstanceOf(UnknownPathException.class)
                .hasMessageStartingWith(sentence.strip());
    }

    @Test
    void aGraphOfRHasTheSamePaths() {
        ResourceGraph graph = ResourceGraph.of(R, Detail.UNITS);
        assertThat(places(graph, "/cluster0/n[1-2]/gpu[2-3]"))
                .containsExactlyInAnyOrder("11 gpu2", "11 gpu3", "12 gpu2", "12 gpu3");
        assertThatThrownBy(() -> places(graph, "/cluster0/n9")).hasMessageEndingWith("/cluster0 has no n9");
        assertThatThrownBy(() -> places(graph, "/cluster0".repeat(100_000)))
                .hasMessageEndingWith(": a path may have 1000 levels");
        Paths paths = new Paths(graph, R);
        assertThat(paths.below(Idset.of(11, 13), "gpu0"))
                .hasToString(paths.find("/cluster0/n[1,3]/gpu0").toString());
        assertThat(paths.below(Idset.of(11), "gpu9").isEmpty()).isTrue();
    }

    /** This test would take minutes if each path were compared with every child. */
    @Test
    void manyPathsBelowOneVertexAreFound() {
        int count = 50_000;
        ResourceGraph.Builder graph = ResourceGraph.builder();
        int cluster = graph.vertex("c", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        PoolKind link = PoolKind.of("link", 1);
        for (int i = 0; i < count; i++) {
            graph.edge(cluster, graph.vertex("l" + i, Pool.of(link, i), -1), EdgeKind.contains());
        }
        Paths paths = new Paths(graph.build(), ResourceSet.EMPTY);
        int found = 0;
        for (int i = 0; i < count; i++) {
            found += paths.find("/cluster0/link" + i).size();
        }
        assertThat(found).isEqualTo(count);
    }
}
