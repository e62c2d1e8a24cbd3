package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** RFC 4's figures and the examples in its text, in the order of the RFC. */
class Rfc4Test {
    private static final String PFS1 = "PFS1 I/O bandwidth hierarchy";

    private final ResourceGraph.Builder builder = ResourceGraph.builder();

    private int vertex(String type, String name, long size, String unit) {
        PoolKind kind = new PoolKind(type, type, size, unit, new TreeMap<>());
        return builder.vertex(name, new Pool(kind, Pool.NO_ID, name, Map.of()), -1);
    }

    private int vertex(String type, String name) {
        return vertex(type, name, 1, "");
    }

    private static List<String> walked(ResourceGraph graph, String subsystem) {
        List<String> names = new ArrayList<>();
        Walker.of(graph, subsystem).walk(v -> names.add(v.pool().name()));
        return names;
    }

    private static ResourceGraph again(ResourceGraph graph) {
        return Jgf.read(Jgf.toJson(graph, Jgf.Form.FULL));
    }

    private static String memory(ResourceGraph graph) {
        List<String> pools = new ArrayList<>();
        Walker.of(graph, EdgeKind.CONTAINMENT).walk(v -> {
            if (v.pool().type().equals("memory")) {
                pools.add(v.path() + " = " + v.pool().size() + v.pool().unit());
            }
        });
        return String.join(", ", pools);
    }

    @Test
    void memoryOfOneNodeIsAPoolOf32() {
        builder.edge(vertex("node", "n"), vertex("memory", "m", 32, "GB"), EdgeKind.contains());
        assertThat(memory(again(builder.build()))).isEqualTo("/n/m = 32GB");
    }

    @Test
    void memoryThatIsNotUniformIsTwoPoolsOf16() {
        int node = vertex("node", "n");
        for (int i = 0; i < 2; i++) {
            int socket = vertex("socket", "s" + i);
            builder.edge(node, socket, EdgeKind.contains())
                    .edge(socket, vertex("memory", "m" + i, 16, "GB"), EdgeKind.contains());
        }
        assertThat(memory(again(builder.build()))).isEqualTo("/n/s0/m0 = 16GB, /n/s1/m1 = 16GB");
    }

    @Test
    void aNameMayBeComposedOfProperties() {
        PoolKind kind = new PoolKind("node", "node", 1, "", new TreeMap<>(Map.of("frameid", "7", "rack", "b")));
        builder.vertex("0", new Pool(kind, 3, "node-7-b", Map.of()), 0);
        Pool pool = again(builder.build()).pool(0);
        assertThat(pool).isEqualTo(new Pool(kind, 3, "node-7-b", pool.more()));
    }

    @Test
    void everyStateOfTheRfcIsKept() {
        vertex("node", "n");
        ResourceGraph graph = builder.build();
        for (String state : new String[] {"up", "down", "degraded", "failing", "unknown", null}) {
            ResourceGraph changed = graph.state(Idset.of(0), state);
            assertThat(again(changed).extended(0)).isEqualTo(changed.extended(0));
        }
    }

    @Test
    void dataOfASchedulerIsKeptWithAPool() {
        vertex("node", "n");
        JsonNode job = JsonNodeFactory.instance.objectNode().put("job", 17).put("until", 3600);
        ResourceGraph graph = builder.build()
                .scheduler(Idset.of(0), "allocations", job)
                .tag(Idset.of(0), "row", "3")
                .tag(Idset.of(0), "spare", "");
        assertThat(again(graph).extended(0)).isEqualTo(graph.extended(0));
    }

    /** Figure 1, in capitals as in the RFC. */
    @Test
    void aClusterHasARack() {
        builder.edge(
                vertex("cluster", "Cluster A"), vertex("rack", "Rack1"), EdgeKind.of("physical hierarchy", "CONTAINS"));
        assertThat(walked(again(builder.build()), "physical hierarchy")).containsExactly("Rack1", "Cluster A");
    }

    /** Figure 2. */
    @Test
    void anEdgeSwitchIsAConduitOfACoreSwitch() {
        int core = vertex("switch", "CoreSwitch1");
        int edge = vertex("switch", "EdgeSwitch3");
        builder.edge(core, edge, EdgeKind.of(PFS1, "CONDUIT_OF"));
        ResourceGraph graph = again(builder.build());
        assertThat(walked(graph, PFS1)).containsExactly("EdgeSwitch3", "CoreSwitch1");
        assertThat(walkedFrom(graph, "EdgeSwitch3")).containsExactly("EdgeSwitch3");
    }

    private static int find(ResourceGraph graph, String key) {
        int vertex = 0;
        while (!graph.key(vertex).equals(key)) {
            vertex++;
        }
        return vertex;
    }

    private static List<String> walkedFrom(ResourceGraph graph, String key) {
        List<String> names = new ArrayList<>();
        Walker.of(graph, PFS1)
                .from(Idset.of(find(graph, key)))
                .walk(v -> names.add(v.pool().name()));
        return names;
    }

    @Test
    void aFlowInBothDirectionsIsOneEdgeOrTwoEdges() {
        int core = vertex("switch", "CoreSwitch1");
        int edge = vertex("switch", "EdgeSwitch3");
        int other = vertex("switch", "EdgeSwitch4");
        builder.edge(core, edge, new EdgeKind(PFS1, EdgeKind.CONDUIT_OF, true, Map.of()))
                .edge(core, other, EdgeKind.of(PFS1, EdgeKind.CONDUIT_OF))
                .edge(other, core, EdgeKind.of(PFS1, EdgeKind.CONDUIT_OF));
        ResourceGraph graph = again(builder.build());
        for (String from : List.of("CoreSwitch1", "EdgeSwitch3", "EdgeSwitch4")) {
            assertThat(walkedFrom(graph, from)).containsExactlyInAnyOrder("CoreSwitch1", "EdgeSwitch3", "EdgeSwitch4");
        }
    }

    /** Figure 3. */
    @Test
    void anOppositeEdgeComesWithContains() {
        int cluster = vertex("cluster", "Cluster A");
        int rack = vertex("rack", "Rack1");
        builder.edge(cluster, rack, EdgeKind.of("physical hierarchy", "CONTAINS"))
                .edge(rack, cluster, EdgeKind.of("physical hierarchy", "IN"));
        ResourceGraph graph = again(builder.build());
        assertThat(walked(graph, "physical hierarchy")).containsExactly("Rack1", "Cluster A");
        assertThat(graph.path(find(graph, "Rack1"), "physical hierarchy")).isEqualTo("/Cluster A/Rack1");
        List<String> said = new ArrayList<>();
        graph.forEachEdge((source, target, kind) ->
                said.add(graph.key(source) + " " + kind.relationship() + " " + graph.key(target)));
        assertThat(said).containsExactly("Cluster A CONTAINS Rack1", "Rack1 IN Cluster A");
    }

    /** Figures 4 to 6: compute hardware, the bandwidth to a file system over the same nodes, and both at once. */
    private ResourceGraph center() {
        int cluster = vertex("cluster", "ClusterA");
        int pfs = vertex("pfs", "PFS1", 100, "GB/s");
        int core = vertex("switch", "CoreSwitch1", 80, "GB/s");
        builder.edge(pfs, core, EdgeKind.of(PFS1, EdgeKind.CONDUIT_OF));
        for (int r = 0; r < 2; r++) {
            int rack = vertex("rack", "Rack" + r);
            int edge = vertex("switch", "EdgeSwitch" + r, 40, "GB/s");
            builder.edge(cluster, rack, EdgeKind.contains()).edge(core, edge, EdgeKind.of(PFS1, EdgeKind.CONDUIT_OF));
            for (int n = 0; n < 2; n++) {
                int node = vertex("node", "Node" + r + n);
                int cores = vertex("core", "cores" + r + n, 16, "");
                int memory = vertex("memory", "memory" + r + n, 32, "GB");
                builder.edge(rack, node, EdgeKind.contains())
                        .edge(node, cores, EdgeKind.contains())
                        .edge(node, memory, EdgeKind.contains())
                        .edge(edge, node, EdgeKind.of(PFS1, EdgeKind.CONDUIT_OF));
            }
        }
        return builder.build();
    }

    @Test
    void twoSubsystemsShareTheVerticesOfOneGraph() {
        ResourceGraph graph = again(center());
        assertThat(graph.subsystems()).containsExactlyInAnyOrder(EdgeKind.CONTAINMENT, PFS1);
        assertThat(walked(graph, EdgeKind.CONTAINMENT))
                .startsWith("cores00", "memory00", "Node00", "cores01", "memory01", "Node01", "Rack0")
                .endsWith("Rack1", "ClusterA")
                .hasSize(15);
        assertThat(walked(graph, PFS1))
                .containsExactly(
                        "Node00", "Node01", "EdgeSwitch0", "Node10", "Node11", "EdgeSwitch1", "CoreSwitch1", "PFS1");
    }

    /** The evaluating filter scores nodes by cores and takes bandwidth on every vertex between the node and the file system. */
    @Test
    void aSchedulerCanReserveBandwidthOnEveryVertexUpToTheRoot() {
        ResourceGraph graph = again(center());
        Accumulator best = new Accumulator(1);
        Walker.of(graph, EdgeKind.CONTAINMENT)
                .pruning(v -> !v.pool().name().equals("Rack0"))
                .walk(v -> {
                    if (v.pool().type().equals("node")) {
                        Walker.of(v.graph(), EdgeKind.CONTAINMENT)
                                .from(Idset.of(v.vertex()))
                                .walk(part -> best.push(
                                        v.vertex(), (double) part.pool().size()));
                    }
                });
        int node = best.matches().get(0).vertex();
        Idset.Builder way = Idset.builder();
        for (int at = graph.parent(node, PFS1); at >= 0; at = graph.parent(at, PFS1)) {
            way.add(at);
        }
        ResourceGraph taken = graph.scheduler(way.build(), "taken", JsonNodeFactory.instance.numberNode(10));
        List<String> names = new ArrayList<>();
        Walker.of(taken, PFS1).walk(v -> {
            if (!v.extended().scheduler().isEmpty()) {
                names.add(v.pool().name());
            }
        });
        assertThat(names).containsExactly("EdgeSwitch1", "CoreSwitch1", "PFS1");
    }

    @Test
    void aSubsetOfACompositePoolIsACompositePool() {
        ResourceGraph graph = center();
        ResourceGraph subset = Jgf.read(Jgf.toJson(graph, Jgf.Form.TERSE, Idset.of(find(graph, "cores01"))));
        assertThat(walked(subset, EdgeKind.CONTAINMENT)).containsExactly("cores01", "Node01", "Rack0", "ClusterA");
        assertThat(subset.path(find(subset, "cores01"), EdgeKind.CONTAINMENT))
                .isEqualTo("/ClusterA/Rack0/Node01/cores01");
    }
}
