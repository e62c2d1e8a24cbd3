package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.IntNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;

class ResourceGraphTest {
    private static String plain(String state, String text) {
        return text;
    }

    static final ResourceSet R = ResourceSet.of(
                    Hostlist.parse("fluke[0-2]"),
                    Idset.range(0, 2),
                    Idset.range(0, 3),
                    Idset.of(0),
                    Map.of("ssd", Idset.of(1)))
            .append(ResourceSet.of(Hostlist.of("login"), Idset.of(7), Idset.of(0), Idset.EMPTY, Map.of()));

    private static List<String> paths(Walker walker) {
        List<String> paths = new ArrayList<>();
        walker.walk(v -> paths.add(v.path()));
        return paths;
    }

    @Test
    void poolsAndEdgesHaveRfc4Defaults() {
        Pool core = Pool.of(PoolKind.of("core", 1), 3);
        assertThat(core.name()).isEqualTo("core3");
        assertThat(Pool.of(PoolKind.of("cluster", 1), Pool.NO_ID).name()).isEqualTo("cluster");
        assertThat(core.kind().basename()).isEqualTo("core");
        assertThat(core.uuid("/a/core3")).isEqualTo(core.uuid("/a/core3")).isNotEqualTo(core.uuid("/b/core3"));
        assertThatThrownBy(() -> PoolKind.of("", 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PoolKind.of("core", -1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aResourceSetBecomesClusterNodesAndPools() {
        ResourceGraph graph = ResourceGraph.of(R, Detail.POOLS);
        assertThat(paths(Walker.of(graph, EdgeKind.CONTAINMENT)))
                .containsExactly(
                        "/cluster0/fluke0/core",
                        "/cluster0/fluke0/gpu0",
                        "/cluster0/fluke0",
                        "/cluster0/fluke1/core",
                        "/cluster0/fluke1/gpu0",
                        "/cluster0/fluke1",
                        "/cluster0/fluke2/core",
                        "/cluster0/fluke2/gpu0",
                        "/cluster0/fluke2",
                        "/cluster0/login/core0",
                        "/cluster0/login",
                        "/cluster0");
        int core = graph.size() - 1;
        assertThat(graph.pool(core)).isEqualTo(Pool.of(PoolKind.of("core", 1), 0));
        assertThat(graph.pool(4 + 1).properties()).containsEntry("ids", "0-3");
        assertThat(graph.rank(core)).isEqualTo(7);
        assertThat(graph.pool(2))
                .isEqualTo(new Pool(
                        new PoolKind("node", "fluke", 1, "", new TreeMap<>(Map.of("ssd", ""))), 1, "fluke1", Map.of()));
        assertThat(ResourceGraph.of(R, Detail.UNITS).size()).isEqualTo(1 + 4 + 3 * 5 + 1);
        assertThat(ResourceGraph.of(R, Detail.NODES).size()).isEqualTo(5);
    }

    @Test
    void aGraphOfAMillionSimilarNodesIsComputedOnDemand() {
        ResourceSet r = ResourceSet.of(
                Hostlist.parse("n[0-1048575]"),
                Idset.range(0, 1_048_575),
                Idset.range(0, 63),
                Idset.range(0, 7),
                Map.of());
        ResourceGraph graph = ResourceGraph.of(r, Detail.UNITS);
        assertThat(graph.size()).isEqualTo(1 + 1_048_576 * 73);
        assertThat(graph.path(graph.size() - 1, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/n1048575/gpu7");
        ResourceGraph live = graph.state(graph.nodesOf(r, Idset.range(10, 1_048_575)), "up")
                .state(graph.nodesOf(r, Idset.of(20)), "drained");
        assertThat(live.extended(1).state()).isNull();
        assertThat(live.extended(11).state()).isEqualTo("up");
        assertThat(live.extended(21).state()).isEqualTo("drained");
    }

    @Test
    void settersReturnANewGraphAndDoNotChangeTheOldOne() {
        ResourceGraph graph = ResourceGraph.of(R, Detail.POOLS);
        Idset nodes = graph.nodesOf(R, Idset.of(0, 7, 99));
        assertThat(nodes).isEqualTo(Idset.of(1, 4));
        ResourceGraph tagged = graph.tag(nodes, "row", "3")
                .tag(nodes, "spare", "")
                .state(Idset.of(1), "degraded")
                .scheduler(Idset.of(4), "jobs", IntNode.valueOf(2));
        assertThat(graph.extended(1)).isEqualTo(Extended.NONE);
        assertThat(tagged.extended(1).tags()).containsExactlyInAnyOrderEntriesOf(Map.of("row", "3", "spare", ""));
        assertThat(tagged.extended(1).state()).isEqualTo("degraded");
        assertThat(tagged.extended(4).scheduler()).containsEntry("jobs", IntNode.valueOf(2));
        assertThatThrownBy(() -> graph.tag(Idset.of(1000), "a", "")).isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** In an instance within another instance, R renumbers its hosts and its graph stays unchanged. */
    @Test
    void nodesOfAGraphThatWasReadAreFoundByHostName() {
        ResourceSet two =
                R.keep(Idset.of(1, 2)).rerank(Hostlist.parse("fluke[2,1]")).withProperty("late", Idset.of(0));
        ResourceGraph read = Jgf.read(Jgf.toJson(ResourceGraph.of(R, Detail.POOLS), Jgf.Form.TERSE));
        assertThat(names(read, read.nodesOf(two, Idset.of(0)))).containsExactly("fluke2");
        ResourceGraph live = read.state(read.nodesOf(two, Idset.of(0)), "up")
                .state(read.nodesOf(two, Idset.of(1)), "drained")
                .withProperties(two);
        assertThat(new Picture(live, EdgeKind.CONTAINMENT, 1).tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("""
                        cluster0
                        |- fluke0,login (2 x node)
                        |- fluke1 (node) ssd [drained]
                        `- fluke2 (node) late [up]
                        """);
        ResourceSet others =
                ResourceSet.of(Hostlist.parse("other[0-9]"), Idset.range(0, 9), Idset.of(0), Idset.EMPTY, Map.of());
        assertThat(names(read, read.nodesOf(others, Idset.of(2, 7)))).containsExactly("fluke2", "login");
    }

    private static List<String> names(ResourceGraph graph, Idset vertices) {
        return vertices.stream().mapToObj(v -> graph.pool(v).name()).toList();
    }

    /** RFC 4's figure 6: a containment hierarchy and the bandwidth of a file system over one set of vertices. */
    private static ResourceGraph unified() {
        ResourceGraph.Builder b = ResourceGraph.builder();
        int cluster = b.vertex("cluster", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        int core = b.vertex(
                "core-switch",
                new Pool(new PoolKind("switch", "coresw", 100, "GB/s", new TreeMap<>()), 1, "coresw1", Map.of()),
                -1);
        for (int i = 0; i < 2; i++) {
            int edge = b.vertex("edge-switch" + i, Pool.of(PoolKind.of("edgesw", 40), i), -1);
            int node = b.vertex("node" + i, Pool.of(PoolKind.of("node", 1), i), i);
            b.edge(cluster, node, EdgeKind.contains());
            b.edge(node, cluster, EdgeKind.of(EdgeKind.CONTAINMENT, EdgeKind.IN));
            b.edge(core, edge, new EdgeKind("bandwidth", EdgeKind.CONDUIT_OF, true, Map.of()));
            b.edge(edge, node, EdgeKind.of("bandwidth", EdgeKind.CONDUIT_OF));
        }
        return b.build();
    }

    @Test
    void severalSubsystemsShareVertices() {
        ResourceGraph graph = unified();
        assertThat(graph.subsystems()).containsExactly("bandwidth", "containment");
        assertThat(paths(Walker.of(graph, "containment")))
                .containsExactly("/cluster0/node0", "/cluster0/node1", "/cluster0");
        assertThat(paths(Walker.of(graph, "bandwidth")))
                .containsExactly(
                        "/coresw1/edgesw0/node0",
                        "/coresw1/edgesw0",
                        "/coresw1/edgesw1/node1",
                        "/coresw1/edgesw1",
                        "/coresw1");
        assertThat(paths(Walker.of(graph, "power"))).isEmpty();
    }

    @Test
    void pruningRunsBeforeAndScoringAfterTheChildrenAndWalksMayBeNested() {
        ResourceGraph graph = unified();
        assertThat(paths(Walker.of(graph, "bandwidth").pruning(v -> v.depth() < 1)))
                .containsExactly("/coresw1/edgesw0", "/coresw1/edgesw1", "/coresw1");
        assertThat(paths(Walker.of(graph, "bandwidth").pruning(v -> false))).containsExactly("/coresw1");
        Accumulator best = new Accumulator(2);
        List<Integer> reached = new ArrayList<>();
        Walker.of(graph, "bandwidth").walk(v -> {
            best.push(v.vertex(), (double) v.pool().size());
            if (v.pool().type().equals("node")) {
                Walker.of(v.graph(), "containment")
                        .from(Idset.of(v.vertex()))
                        .walk(inner -> reached.add(inner.vertex()));
            }
        });
        assertThat(best.matches()).containsExactly(new Accumulator.Match(1, 100), new Accumulator.Match(2, 40));
        assertThat(reached).containsExactly(3, 5);
    }

    @Test
    void theWalkerAcceptsACycleAndContainmentMustBeATree() {
        ResourceGraph.Builder ring = ResourceGraph.builder();
        for (int i = 0; i < 3; i++) {
            ring.vertex("v" + i, Pool.of(PoolKind.of("sw", 1), i), -1);
        }
        for (int i = 0; i < 3; i++) {
            ring.edge(i, (i + 1) % 3, EdgeKind.of("net", EdgeKind.CONDUIT_OF));
        }
        List<Integer> seen = new ArrayList<>();
        ResourceGraph built = ring.build();
        Walker.of(built, "net").walk(v -> seen.add(v.vertex()));
        assertThat(seen).containsExactly(2, 1, 0);
        assertThat(built.path(2, "net")).isEqualTo("/sw0/sw1/sw2");
        ResourceGraph.Builder bad = ResourceGraph.builder();
        for (int i = 0; i < 4; i++) {
            bad.vertex("v" + i, Pool.of(PoolKind.of("x", 1), i), -1);
        }
        bad.edge(0, 2, EdgeKind.contains())
                .edge(1, 2, EdgeKind.contains())
                .edge(0, 3, EdgeKind.contains())
                .edge(0, 3, EdgeKind.contains());
        assertThatThrownBy(bad::build)
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining("containment has two roots, \"v0\" (x0) and \"v1\" (x1)")
                .hasMessageContaining("vertex \"v2\" (x2) has two parents in containment")
                .hasMessageContaining("the edge v0 -> v3 is given twice");
    }

    @Test
    void picturesDrawSimilarSiblingsOnce() {
        ResourceGraph graph = ResourceGraph.of(R, Detail.POOLS);
        graph = graph.state(graph.nodesOf(R, Idset.of(0, 1, 2)), "up")
                .state(graph.nodesOf(R, R.ranks().without(0).without(1).without(2)), "down");
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 1).tree(Picture.Lines.BOXES, 250, ResourceGraphTest::plain))
                .isEqualTo("""
                        cluster0
                        ├─ fluke[0,2] (2 x node) [up]
                        ├─ fluke1 (node) ssd [up]
                        └─ login (node) [down]
                        """);
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 9).tree(Picture.Lines.BOXES, 250, ResourceGraphTest::plain))
                .contains("fluke[0,2] (2 x node) [up]\n│  ├─ core = 4 ids=0-3\n│  └─ gpu0\n");
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 1).dot())
                .startsWith("digraph \"containment\" {\n")
                .contains("v1 [label=\"fluke[0,2] (2 x node) [up]\", fillcolor=\"#d9ead3\"];\n  v0 -> v1;\n")
                .endsWith("}\n");
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 2).tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .startsWith("cluster0\n|- fluke[0,2] (2 x node) [up]\n|  |- core = 4 ids=0-3\n|  `- gpu0\n")
                .contains("`- login (node) [down]\n   `- core0\n");
        assertThat(new Picture(graph, "power", 1).tree(Picture.Lines.BOXES, 250, ResourceGraphTest::plain))
                .isEmpty();
    }

    /** Returns racks of eighteen nodes, each with a switch, and power for two racks each; in one rack a node is down. */
    private static ResourceGraph racks() throws IOException {
        Problems problems = new Problems();
        ResourceSet r = ResourceSet.of(
                Hostlist.parse("node[0-71]"), Idset.range(0, 71), Idset.range(0, 7), Idset.EMPTY, Map.of());
        List<GraphEntry> entries = GraphEntry.readAll(new JsonMapper().readTree("""
                [{"type": "rack", "count": 4, "hosts": "node[0-71]"},
                 {"type": "switch", "in": "rack"},
                 {"type": "pdu", "count": 2, "holds": "rack", "subsystem": "power"}]
                """), "graph", problems);
        assertThat(problems.errors()).isEmpty();
        return Structure.of(r, entries, Detail.UNITS)
                .state(Idset.range(1, 71), "up")
                .state(Idset.of(72), "down");
    }

    @Test
    void childrenOfSimilarSiblingsAreDrawnTogether() throws IOException {
        ResourceGraph graph = racks();
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 9).tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("""
                        cluster0
                        |- rack[0-2] (3 x rack)
                        |  |- switch0
                        |  `- node[0-53] (54 x node, 18 each) [up]
                        |     `- core[0-7] (8 x core)
                        `- rack3
                           |- switch0
                           |- node[54-70] (17 x node) [up]
                           |  `- core[0-7] (8 x core)
                           `- node71 [down]
                              `- core[0-7] (8 x core)
                        """);
        assertThat(new Picture(graph, "power", 9).tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("""
                        power0
                        |- pdu0
                        |  `- rack[0-1] (2 x rack) [each: 18 up]
                        `- pdu1
                           |- rack2 [18 up]
                           `- rack3 [1 down, 17 up]
                        """);
    }

    @Test
    void allTreesOfASubsystemAreDrawnAndWalked() {
        ResourceGraph.Builder b = ResourceGraph.builder();
        int cluster = b.vertex("c", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        for (int i = 0; i < 3; i++) {
            int node = b.vertex("n" + i, Pool.of(PoolKind.of("node", 1), i), i);
            int pdu = b.vertex("p" + i, Pool.of(PoolKind.of("pdu", i == 2 ? 5 : 1), i), -1);
            b.edge(cluster, node, EdgeKind.contains());
            b.edge(pdu, node, EdgeKind.of("power", EdgeKind.CONDUIT_OF));
        }
        ResourceGraph graph = b.build();
        Picture picture = new Picture(graph, "power", 9);
        assertThat(picture.tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("""
                pdu[0-1] (2 x pdu)
                `- node[0-1] (2 x node, 1 each)
                pdu2 = 5
                `- node2
                """);
        assertThat(picture.dot()).contains("v0 -> v1", "v2 -> v3").doesNotContain("v1 -> v2");
        assertThat(picture.svg()).contains(">pdu[0-1] (2 x pdu)<", ">pdu2 = 5<");
        assertThat(paths(Walker.of(graph, "power")))
                .containsExactly("/pdu0/node0", "/pdu0", "/pdu1/node1", "/pdu1", "/pdu2/node2", "/pdu2");
    }

    /**
     * A vertex that contains nodes has their states, even if the nodes are not drawn. The rack also has a state of a vertex
     * deep below a node that is up.
     */
    @Test
    void theStateOfARackCombinesTheStatesOfItsParts() throws IOException {
        ResourceGraph graph = racks();
        Idset core = graph.below(graph.named(Set.of("node0")), EdgeKind.CONTAINMENT);
        ResourceGraph failing = graph.state(Idset.of(core.first()), "failing");
        assertThat(new Picture(failing, EdgeKind.CONTAINMENT, 9)
                        .tree(Picture.Lines.ASCII, 250, (state, text) -> state + "<" + text + ">"))
                .contains("mixed<rack0>", "up<node0 [up]>", "failing<core0 [failing]>", "up<rack[1-2] (2 x rack)>");
        Idset rack = new Paths(graph, ResourceSet.EMPTY).find("/cluster0/rack0/node[0-17]");
        assertThat(new Picture(graph.state(rack, "offline"), EdgeKind.CONTAINMENT, 9)
                        .tree(Picture.Lines.ASCII, 250, (state, text) -> state + "<" + text + ">"))
                .contains("mixed<cluster0>", "offline<rack0>", "mixed<rack3>");
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 1)
                        .tree(Picture.Lines.ASCII, 250, (state, text) -> state + "<" + text + ">"))
                .isEqualTo("""
                        mixed<cluster0>
                        |- up<rack[0-2] (3 x rack) [each: 18 up]>
                        `- mixed<rack3 [1 down, 17 up]>
                        """);
        assertThat(new Picture(graph, EdgeKind.CONTAINMENT, 2)
                        .tree(Picture.Lines.ASCII, 60, ResourceGraphTest::plain)
                        .lines())
                .allMatch(line -> line.length() <= 60);
    }

    @Test
    void aPictureMayStartAtAnyVertexAndColoursTheStates() throws IOException {
        ResourceGraph graph = racks();
        int rack = new Paths(graph, ResourceSet.EMPTY).find("/cluster0/rack3").first();
        Picture picture = new Picture(graph, EdgeKind.CONTAINMENT, Idset.of(rack), 1);
        assertThat(picture.tree(Picture.Lines.ASCII, 250, (state, text) -> state + "<" + text + ">"))
                .isEqualTo("""
                        mixed<rack3>
                        |- switch0
                        |- up<node[54-70] (17 x node) [up]>
                        `- down<node71 [down]>
                        """);
        assertThat(picture.dot()).contains("[label=\"rack3\", fillcolor=\"#fff2cc\"]", "[label=\"switch0\"];");
        assertThat(new Paths(graph, ResourceSet.EMPTY).find("power:/power0/pdu1/rack3"))
                .isEqualTo(Idset.of(rack));
        assertThat(graph.named(Set.of("switch0")).size()).isEqualTo(4);
    }

    @Test
    void anImageHasABoxForEachBundle() throws Exception {
        String svg = new Picture(racks(), EdgeKind.CONTAINMENT, 2).svg();
        var document = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
        assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(8);
        assertThat(document.getElementsByTagName("path").getLength()).isEqualTo(7);
        assertThat(document.getElementsByTagName("text").item(0).getTextContent())
                .isEqualTo("switch0");
        assertThat(svg).contains("fill=\"#f4cccc\"");
        String[] names = IntStream.range(0, 1001).mapToObj(i -> "<&" + i).toArray(String[]::new);
        assertThat(new Picture(siblings("<&"), EdgeKind.CONTAINMENT, 1).svg()).contains(">&lt;&amp; (box)<");
        assertThat(new Picture(siblings("a\ufffe\uffff"), EdgeKind.CONTAINMENT, 1).svg())
                .contains(">a\ufffd\ufffd (box)<");
        assertThat(new Picture(siblings(names), EdgeKind.CONTAINMENT, 1).svg()).contains("(1001 x box)");
        assertThatThrownBy(() -> new Picture(unlike(1000), EdgeKind.CONTAINMENT, 1).svg())
                .hasMessage("an image has 1000 boxes at most");
    }

    private static ResourceGraph unlike(int count) {
        ResourceGraph.Builder b = ResourceGraph.builder();
        b.vertex("c", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        for (int i = 0; i < count; i++) {
            b.edge(0, b.vertex("v" + i, Pool.of(PoolKind.of("box", i), i), -1), EdgeKind.contains());
        }
        return b.build();
    }

    @Test
    void longListsOfNamesAreCutAndCounted() {
        ResourceSet scattered = ResourceSet.of(
                Hostlist.parse("n[0-1999]"),
                Idset.range(0, 1999),
                Idset.of(0),
                Idset.EMPTY,
                Map.of(
                        "odd",
                        Idset.parse(IntStream.range(0, 1000)
                                .mapToObj(i -> Integer.toString(2 * i + 1))
                                .collect(Collectors.joining(",")))));
        String tree = new Picture(ResourceGraph.of(scattered, Detail.POOLS), EdgeKind.CONTAINMENT, 9)
                .tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain);
        assertThat(tree.lines()).hasSize(5).allMatch(line -> line.length() < 250);
        assertThat(tree).contains("... (1000 x node) odd\n").startsWith("cluster0\n|- n[0,2,4,");
    }

    private static ResourceGraph siblings(String... names) {
        ResourceGraph.Builder b = ResourceGraph.builder();
        b.vertex("0", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        for (String name : names) {
            int v = b.vertex(name, new Pool(PoolKind.of("box", 1), Pool.NO_ID, name, Map.of()), -1);
            b.edge(0, v, EdgeKind.contains());
        }
        return b.build();
    }

    @Test
    void namesThatAreNotHostNamesAreDrawn() {
        Picture odd = new Picture(siblings("a b", "c[1]", "d,e"), EdgeKind.CONTAINMENT, 9);
        assertThat(odd.tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("cluster0\n`- a b,c[1],d,e (3 x box)\n");
        String lengthy = "n".repeat(300);
        Picture one = new Picture(siblings(lengthy + "1", lengthy + "2"), EdgeKind.CONTAINMENT, 9);
        assertThat(one.tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain))
                .isEqualTo("cluster0\n`- " + lengthy + "1,... (2 x box)\n");
    }

    /** Builds switches that are connected in both directions, and hosts behind two of them. */
    @Test
    void aVertexWithManyIncomingEdgesIsDrawnOnce() {
        ResourceGraph.Builder b = ResourceGraph.builder();
        for (int i = 0; i < 60; i++) {
            b.vertex("s" + i, Pool.of(PoolKind.of("switch", i + 1), i), -1);
            for (int other = 0; other < i; other++) {
                b.edge(other, i, new EdgeKind("net", EdgeKind.CONDUIT_OF, true, Map.of()));
            }
        }
        String tree = new Picture(b.build(), "net", 100).tree(Picture.Lines.ASCII, 250, ResourceGraphTest::plain);
        assertThat(tree.lines()).hasSize(60).doesNotHaveDuplicates();
        assertThat(tree).startsWith("switch0\n|- switch1 = 2\n");
    }

    private static ResourceSet like(int nodes) {
        return ResourceSet.of(
                Hostlist.parse("n[0-" + (nodes - 1) + "]"),
                Idset.range(0, nodes - 1),
                Idset.range(0, 63),
                Idset.range(0, 7),
                Map.of("ssd", Idset.range(1, nodes - 2)));
    }

    /** Returns how many objects represent the vertices below nodes. */
    private static int partsHeld(ResourceGraph graph, int from) {
        Set<Pool> held = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int v = from; v < graph.size(); v++) {
            held.add(graph.pool(v));
        }
        return held.size();
    }

    @Test
    void thePartsOfSimilarNodesAreStoredOnce() {
        int nodes = 100_000;
        ResourceGraph units = ResourceGraph.of(like(nodes), Detail.UNITS);
        assertThat(units.size()).isEqualTo(1 + nodes * (1 + 64 + 8));
        assertThat(partsHeld(units, 1 + nodes)).isEqualTo(64 + 8);
        assertThat(partsHeld(ResourceGraph.of(like(nodes), Detail.POOLS), 1 + nodes))
                .isEqualTo(2);
    }

    @Test
    void aGraphThatIsReadStoresEqualPoolsOnce() {
        ResourceGraph read = Jgf.read(Jgf.toJson(ResourceGraph.of(like(50), Detail.UNITS), Jgf.Form.TERSE));
        assertThat(read.size()).isEqualTo(1 + 50 * (1 + 64 + 8));
        assertThat(partsHeld(read, 0)).isEqualTo(64 + 8 + 50 + 1);
    }
}
