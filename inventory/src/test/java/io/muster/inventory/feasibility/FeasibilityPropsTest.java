package io.muster.inventory.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Resource;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FeasibilityPropsTest {
    /** A small machine in three forms: as R, as graph, and as the tree for brute force. */
    private static final class Machine {
        final ResourceGraph.Builder graph = ResourceGraph.builder();
        final BruteForce.Vertex top = new BruteForce.Vertex("", 1);
        int nodes;
        private int keys;

        /** Adds a vertex below {@code parent} (-1 for the root) to the graph and to the tree. */
        int add(BruteForce.Vertex under, int parent, String type, int id, int size, BruteForce.Vertex[] made) {
            int v = graph.vertex(Integer.toString(keys++), Pool.of(PoolKind.of(type, size), id), -1);
            if (parent >= 0) {
                graph.edge(parent, v, EdgeKind.contains());
            }
            made[0] = new BruteForce.Vertex(type, size);
            under.add(made[0]);
            return v;
        }

        ResourceSet r() {
            return ResourceSet.of(
                    Hostlist.parse("node[0-" + (nodes - 1) + "]"),
                    Idset.range(0, nodes - 1),
                    Idset.of(0),
                    Idset.EMPTY,
                    Map.of());
        }
    }

    private static Machine machine(Random random) {
        Machine m = new Machine();
        BruteForce.Vertex[] made = new BruteForce.Vertex[1];
        int cluster = m.add(m.top, -1, "cluster", 0, 1, made);
        BruteForce.Vertex clusterVertex = made[0];
        int racks = 1 + random.nextInt(2);
        boolean sockets = random.nextBoolean();
        for (int i = 0; i < racks; i++) {
            int rack = m.add(clusterVertex, cluster, "rack", i, 1, made);
            BruteForce.Vertex rackVertex = made[0];
            if (random.nextBoolean()) {
                m.add(rackVertex, rack, "ssd", 0, 1 + random.nextInt(3), made);
            }
            for (int n = 1 + random.nextInt(2); n > 0; n--) {
                int node = m.add(rackVertex, rack, "node", m.nodes++, 1, made);
                BruteForce.Vertex nodeVertex = made[0];
                for (int s = sockets ? 1 + random.nextInt(2) : 0; s > 0; s--) {
                    int socket = m.add(nodeVertex, node, "socket", s, 1, made);
                    parts(m, made[0], socket, random);
                }
                if (!sockets) {
                    parts(m, nodeVertex, node, random);
                }
            }
        }
        return m;
    }

    private static void parts(Machine m, BruteForce.Vertex vertex, int parent, Random random) {
        BruteForce.Vertex[] made = new BruteForce.Vertex[1];
        m.add(vertex, parent, "core", 0, 1 + random.nextInt(3), made);
        if (random.nextBoolean()) {
            m.add(vertex, parent, "gpu", 0, 1 + random.nextInt(2), made);
        }
    }

    private static final List<String> SHAPES = List.of(
            "node=N/core=N",
            "node=N/[core=N;gpu]",
            "slot=N/core=N",
            "slot=N/[core=N;gpu]",
            "slot=N/node=N/core=N",
            "node=N/slot=N/core=N",
            "node/[slot=N{a}/core;slot{b}/[core;gpu]]",
            "core=N",
            "rack=N/node=N/core=N",
            "rack/slot=N/core=N",
            "cluster/slot=N/node",
            "slot{a}/rack=N/node",
            "[slot=N{a}/core=N;slot=N{b}/core=N]",
            "[slot=N{a}/[core=N;gpu];slot=N{b}/core=N;core]",
            "[node=N/core=N;node=N/core=N]",
            "[slot=N{a}/node/core=N;slot=N{b}/node/gpu]",
            "[rack/node=N;rack/node=N/core=N]",
            "rack=N/[node=N/core=N;ssd=N]",
            "[ssd=N;slot=N{a}/core=N;ssd=N]",
            "[node=N/core=N;slot=N/core]",
            "slot=N/socket=N/core=N",
            "node=N/socket=N/core=N",
            "node/[socket=N/core=N;core=N]",
            "slot=N/[socket/core=N;gpu]",
            "slot=N/[socket/core;socket/core=N]",
            "socket=N/core=N",
            "[rack/node=N;slot=N/core]",
            "slot=N/[node/core=N;node/gpu]");

    @Seeds
    void neverContradictsBruteForce(Random random) {
        Machine machine = machine(random);
        ResourceSet r = machine.r();
        Feasibility feasibility = Feasibility.of(r, machine.graph.build());
        for (String pattern : SHAPES) {
            String shape = pattern;
            while (shape.contains("N")) {
                shape = shape.replaceFirst("N", Integer.toString(1 + random.nextInt(3)));
            }
            List<Resource> list = Shape.parse(shape);
            Assessment answer = feasibility.ever(JobRequest.of(list));
            Boolean truth = truth(list, machine.top);
            if (truth != null && answer.verdict() != Verdict.UNKNOWN) {
                assertThat(answer.verdict())
                        .as("%s on %s: %s", shape, r, answer.sentence())
                        .isEqualTo(truth ? Verdict.YES : Verdict.NEVER);
            }
        }
    }

    /** A fold that is kept when R changes gives the same answers as a new fold. */
    @Seeds
    void aFoldKeptAcrossAChangeOfRAnswersLikeANewFold(Random random) {
        Machine machine = machine(random);
        ResourceGraph graph = machine.graph.build();
        ResourceSet fewer = machine.r()
                .withProperty("p", Idset.of(random.nextInt(machine.nodes)))
                .remove(Idset.of(random.nextInt(machine.nodes)));
        Feasibility kept = Feasibility.of(machine.r(), graph).with(fewer);
        Feasibility anew = Feasibility.of(fewer, graph);
        for (String pattern : SHAPES) {
            JobRequest request = new JobRequest(
                    Shape.parse(pattern.replace("N", Integer.toString(1 + random.nextInt(2)))),
                    random.nextBoolean() ? Constraint.all() : new Constraint.Properties(List.of("^p")),
                    0);
            assertThat(kept.ever(request)).isEqualTo(anew.ever(request));
        }
    }

    /** A fold that gets marks later gives the same answers as a fold of a graph with these marks. */
    @Seeds
    void aFoldThatGetsMarksLaterAnswersLikeANewFold(Random random) {
        Machine machine = machine(random);
        ResourceGraph graph = machine.graph.build();
        ResourceGraph before = random.nextInt(3) > 0 ? graph : graph.state(some(graph, random), "down");
        Idset down = some(graph, random);
        ResourceGraph after = before.state(down, "down").state(some(graph, random), "degraded");
        Idset nodes = graph.ofKind(kind -> kind.type().equals("node"));
        Idset around = down.union(graph.above(down, EdgeKind.CONTAINMENT)).intersect(nodes);
        Feasibility kept = Feasibility.of(machine.r(), before)
                .marked(after, graph.ranksOf(machine.r(), around), List.of("one", "two"));
        Feasibility anew = Feasibility.of(machine.r(), after);
        for (String pattern : SHAPES) {
            JobRequest request =
                    JobRequest.of(Shape.parse(pattern.replace("N", Integer.toString(1 + random.nextInt(2)))));
            Assessment now = kept.now(request, machine.r().ranks(), 0);
            Assessment expected = anew.now(request, machine.r().ranks(), 0);
            assertThat(now.sentence()).isEqualTo(expected.sentence());
            assertThat(now.verdict()).isEqualTo(expected.verdict());
            assertThat(now.hosts()).isEqualTo(expected.hosts());
            assertThat(kept.ever(request)).isEqualTo(anew.ever(request));
            assertThat(now.verdict() == Verdict.NEVER || now.remarks().contains("two"))
                    .isTrue();
        }
    }

    private static Idset some(ResourceGraph graph, Random random) {
        return graph.where(graph.all(), v -> random.nextInt(7) == 0);
    }

    private static @org.jspecify.annotations.Nullable Boolean truth(List<Resource> list, BruteForce.Vertex top) {
        try {
            return new BruteForce().fits(list, top);
        } catch (BruteForce.TooLargeException e) {
            return null;
        }
    }

    /** Shapes that Feasibility promises to decide exactly: UNKNOWN is a failure. */
    private static final List<String> EXACT = SHAPES.subList(0, 19);

    @Seeds
    void shapesThatArePromisedToBeExactAreNeverUnknown(Random random) {
        Machine machine = machine(random);
        Feasibility feasibility = Feasibility.of(machine.r(), machine.graph.build());
        for (String pattern : EXACT) {
            String shape = pattern.replace("N", Integer.toString(1 + random.nextInt(4)));
            assertThat(feasibility.ever(JobRequest.of(Shape.parse(shape))).verdict())
                    .as(shape)
                    .isIn(Verdict.YES, Verdict.NEVER);
        }
    }

    /** Random heterogeneous R, one kind of slot: the count of slots that fit is the sum over nodes, and the witness shows it. */
    @Seeds
    void theSlotCountAndThePlacementMatchANodeByNodeModel(Random random) {
        List<ResourceSet> parts = new ArrayList<>();
        int[] cores = new int[12];
        int[] gpus = new int[12];
        for (int rank = 0; rank < 12; rank++) {
            cores[rank] = 1 + random.nextInt(8);
            gpus[rank] = random.nextInt(3);
            parts.add(ResourceSet.of(
                    Hostlist.of("n" + rank),
                    Idset.of(rank),
                    Idset.range(0, cores[rank] - 1),
                    gpus[rank] == 0 ? Idset.EMPTY : Idset.range(0, gpus[rank] - 1),
                    Map.of()));
        }
        ResourceSet r = parts.stream().reduce(ResourceSet::append).orElseThrow();
        int c = 1 + random.nextInt(4);
        int g = random.nextInt(2);
        Idset allowed = Idset.range(random.nextInt(6), 6 + random.nextInt(6));
        long expected = allowed.stream()
                .mapToLong(i -> g == 0 ? cores[i] / c : Math.min(cores[i] / c, gpus[i] / g))
                .sum();
        int asked = 1 + random.nextInt(20);
        String shape = "slot=" + asked + "/" + (g == 0 ? "core=" + c : "[core=" + c + ";gpu]");
        JobRequest request = new JobRequest(Shape.parse(shape), new Constraint.Ranks(allowed), 0);
        Assessment answer = Feasibility.of(r).ever(request);
        assertThat(answer.mostSlots()).isEqualTo(expected);
        assertThat(answer.verdict()).isEqualTo(expected >= asked ? Verdict.YES : Verdict.NEVER);
        assertThat(answer.hosts().stream()).allMatch(i -> allowed.contains(i) && cores[i] >= c && gpus[i] >= g);
        long placed = 0;
        Idset used = Idset.EMPTY;
        for (Share p : FeasibilityTest.placed(r, request)) {
            assertThat(p.ranks().intersects(used)).isFalse();
            used = used.union(p.ranks());
            assertThat(p.ranks().stream())
                    .allMatch(i -> allowed.contains(i) && cores[i] >= c * p.each() && gpus[i] >= g * p.each());
            placed += p.each() * p.ranks().size();
        }
        assertThat(placed).isEqualTo(answer.verdict() == Verdict.YES ? asked : 0);
    }

    @Test
    void bruteForceDecidesSimpleRequests() {
        BruteForce.Vertex top = new BruteForce.Vertex("", 1);
        BruteForce.Vertex node = new BruteForce.Vertex("node", 1).add(new BruteForce.Vertex("core", 3));
        top.add(node).add(new BruteForce.Vertex("node", 1).add(new BruteForce.Vertex("core", 3)));
        assertThat(new BruteForce().fits(Shape.parse("slot=2/core=3"), top)).isTrue();
        assertThat(new BruteForce().fits(Shape.parse("slot=3/core=2"), top)).isFalse();
        assertThat(new BruteForce().fits(Shape.parse("node=3"), top)).isFalse();
        assertThat(new BruteForce().fits(Shape.parse("core=6"), top)).isTrue();
    }
}
