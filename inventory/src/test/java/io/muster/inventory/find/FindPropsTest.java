package io.muster.inventory.find;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Compares the found vertices with those of a scan that tests each vertex, in graphs of both stores. */
class FindPropsTest {
    private static final String POWER = "power";
    private static final String NET = "net I/O work";

    /** An expression, and its meaning in a subsystem. */
    private record Case(String text, Meaning meaning) {}

    private interface Meaning {
        boolean test(int vertex, String subsystem);
    }

    private static final class World {
        final Random random;
        final ResourceSet r;
        final ResourceGraph graph;
        final Idset down;

        World(Random random) {
            this.random = random;
            int nodes = 1 + random.nextInt(5);
            ResourceSet set = ResourceSet.of(
                            Hostlist.parse("node[0-" + (nodes - 1) + "]"),
                            Idset.range(0, nodes - 1),
                            Idset.range(0, 1),
                            Idset.of(0, 2),
                            Map.of())
                    .append(ResourceSet.of(
                            Hostlist.of("login"), Idset.of(nodes + 1), Idset.of(0), Idset.EMPTY, Map.of()));
            set = set.withProperty("ssd", some(set.ranks())).withProperty("batch", some(set.ranks()));
            r = set;
            ResourceGraph made = random.nextBoolean()
                    ? ResourceGraph.of(r, random.nextBoolean() ? Detail.UNITS : Detail.POOLS)
                    : table().withProperties(r);
            Idset all = made.all();
            down = some(r.ranks());
            graph = made.tag(some(all), "firmware", "7.1")
                    .tag(some(all), "firmware", "8")
                    .state(some(all), "failing")
                    .scheduler(
                            some(all),
                            "job",
                            JsonNodeFactory.instance.objectNode().put("id", 7))
                    .extend(made.nodesOf(r, down), data -> data.withCondition("drained"));
        }

        Idset some(Idset among) {
            Idset.Builder chosen = Idset.builder();
            among.forEach(id -> {
                if (random.nextInt(3) == 0) {
                    chosen.add(id);
                }
            });
            return chosen.build();
        }

        private ResourceGraph table() {
            ResourceGraph.Builder builder = ResourceGraph.builder();
            int cluster = vertex(builder, "cluster", "", 0, 1, -1);
            int pdu = vertex(builder, "pdu", "", 0, 1, -1);
            int core = vertex(builder, "switch", "", 0, 1, -1);
            int[] racks = {vertex(builder, "rack", "", 0, 1, -1), vertex(builder, "rack", "", 1, 1, -1)};
            int edge = vertex(builder, "switch", "", 1, 1, -1);
            builder.edge(core, edge, new EdgeKind(NET, "conduit-of", random.nextBoolean(), Map.of()));
            builder.edge(edge, racks[0], EdgeKind.of(NET, "conduit-of"));
            for (int rack : racks) {
                builder.edge(cluster, rack, EdgeKind.contains());
                if (random.nextBoolean()) {
                    builder.edge(pdu, rack, EdgeKind.of(POWER, "conduit-of"));
                }
            }
            r.ranks().forEach(rank -> {
                String host = r.hostOf(rank);
                int node = builder.vertex("n" + rank, new Pool(PoolKind.of("node", 1), rank, host, Map.of()), rank);
                builder.edge(racks[random.nextInt(2)], node, EdgeKind.contains());
                for (int i = random.nextInt(3); i > 0; i--) {
                    int part = vertex(builder, "ssd", "GB", rank * 10 + i, 1 << random.nextInt(12), rank);
                    builder.edge(node, part, EdgeKind.contains());
                }
                if (random.nextInt(3) == 0) {
                    builder.edge(pdu, node, EdgeKind.of(POWER, "contains"));
                }
                builder.edge(random.nextBoolean() ? core : edge, node, EdgeKind.of(NET, "conduit-of"));
                if (random.nextBoolean()) {
                    builder.edge(node, core, EdgeKind.of(NET, "in"));
                }
            });
            if (random.nextBoolean()) {
                builder.edge(racks[1], core, EdgeKind.of(NET, "conduit-of"));
            }
            return builder.build();
        }

        private static int vertex(
                ResourceGraph.Builder builder, String type, String unit, int id, long size, int rank) {
            PoolKind kind = new PoolKind(type, type, size, unit, new TreeMap<>(Map.of("row", "" + id % 3)));
            return builder.vertex(type + id, Pool.of(kind, id), rank);
        }

        /** Returns whether edges of the subsystem and, after them, edges of containment lead down from {@code above}. */
        boolean isBelow(int vertex, int above, String subsystem) {
            BitSet seen = new BitSet();
            collect(above, subsystem, seen);
            BitSet held = (BitSet) seen.clone();
            held.set(above);
            held.stream().forEach(v -> collect(v, EdgeKind.CONTAINMENT, seen));
            return seen.get(vertex) && belongsTo(vertex, subsystem) && belongsTo(above, subsystem);
        }

        /** Returns whether the vertex, or one that contains it, has an edge in the subsystem. */
        boolean belongsTo(int vertex, String subsystem) {
            for (int at = vertex; at >= 0; at = graph.parent(at, EdgeKind.CONTAINMENT)) {
                if (graph.isIn(at, subsystem)) {
                    return true;
                }
            }
            return false;
        }

        private void collect(int from, String subsystem, BitSet seen) {
            graph.forEachChild(from, subsystem, child -> {
                if (!seen.get(child)) {
                    seen.set(child);
                    collect(child, subsystem, seen);
                }
            });
        }

        boolean any(IntPredicate test) {
            return graph.all().stream().anyMatch(test);
        }

        int node(int vertex) {
            int at = vertex;
            while (at >= 0 && !graph.pool(at).type().equals("node")) {
                at = graph.parent(at, EdgeKind.CONTAINMENT);
            }
            return at;
        }

        String pick(String... words) {
            return words[random.nextInt(words.length)];
        }

        Case expression(int depth) {
            int kind = random.nextInt(depth > 3 ? 1 : 6);
            if (kind < 2) {
                return term();
            }
            Case a = expression(depth + 1);
            if (kind == 2) {
                return new Case("not (" + a.text() + ")", (v, s) -> !a.meaning().test(v, s));
            }
            Case b = expression(depth + 1);
            if (kind == 3) {
                return new Case(
                        "(" + a.text() + ") and (" + b.text() + ")",
                        (v, s) -> a.meaning().test(v, s) && b.meaning().test(v, s));
            }
            if (kind == 4) {
                return new Case(
                        "(" + a.text() + ") or (" + b.text() + ")",
                        (v, s) -> a.meaning().test(v, s) || b.meaning().test(v, s));
            }
            return related(a, b);
        }

        private Case related(Case of, Case operand) {
            boolean in = random.nextBoolean();
            List<String> names = new ArrayList<>(graph.subsystems());
            @Nullable String scope = random.nextBoolean() ? names.get(random.nextInt(names.size())) : null;
            String prefix = scope == null ? "" : pick("from:\"" + scope + "\" ", "'" + scope + "':");
            return new Case(
                    "(" + of.text() + ") " + (in ? "in " : "has ") + prefix + "(" + operand.text() + ")", (v, s) -> {
                        String along = scope == null ? s : scope;
                        return of.meaning().test(v, s)
                                && any(o -> (scope == null || belongsTo(o, scope))
                                        && operand.meaning().test(o, along)
                                        && (in ? isBelow(v, o, along) : isBelow(o, v, along)));
                    });
        }

        private Case term() {
            return switch (random.nextInt(14)) {
                case 0 -> new Case("node", (v, s) -> type(v).equals("node"));
                case 1 -> new Case("type=*s*", (v, s) -> type(v).contains("s"));
                case 2 -> new Case("node0", (v, s) -> name(v).equals("node0"));
                case 3 ->
                    new Case(
                            "name!=node[0-1],login",
                            (v, s) -> !List.of("node0", "node1", "login").contains(name(v)));
                case 4 ->
                    new Case(
                            "size>=0.5TB",
                            (v, s) -> size(v) >= 512 && graph.pool(v).unit().equals("GB"));
                case 5 -> new Case("size < 2", (v, s) -> size(v) < 2);
                case 6 ->
                    new Case(
                            "id=0-1,3",
                            (v, s) -> List.of(0L, 1L, 3L).contains(graph.pool(v).id()));
                case 7 ->
                    new Case(
                            "tag.firmware>7", (v, s) -> graph.extended(v).tags().containsKey("firmware"));
                case 8 ->
                    new Case(
                            "tag.firmware!=8",
                            (v, s) -> "7.1".equals(graph.extended(v).tags().get("firmware")));
                case 9 ->
                    new Case(
                            "state=failing",
                            (v, s) -> "failing".equals(graph.extended(v).state()));
                case 10 ->
                    new Case(
                            "state=d*n",
                            (v, s) -> type(v).equals("node")
                                    && down.contains(r.ranksOf(name(v)).first()));
                case 11 ->
                    new Case(
                            "rank<2",
                            (v, s) -> node(v) >= 0 && r.ranksOf(name(node(v))).first() < 2);
                case 12 ->
                    new Case(
                            "property=ssd",
                            (v, s) -> type(v).equals("node")
                                    && ssd().contains(r.ranksOf(name(v)).first()));
                default ->
                    new Case(
                            "data.job.id=7",
                            (v, s) -> graph.extended(v).scheduler().containsKey("job"));
            };
        }

        private Idset ssd() {
            @Nullable Idset having = r.properties().get("ssd");
            return having == null ? Idset.EMPTY : having;
        }

        private String type(int vertex) {
            return graph.pool(vertex).type();
        }

        private String name(int vertex) {
            return graph.pool(vertex).name();
        }

        private long size(int vertex) {
            return graph.pool(vertex).size();
        }
    }

    @Seeds
    void theFoundVerticesAndRanksEqualThoseOfAScan(Random random) {
        World world = new World(random);
        for (int i = 0; i < 30; i++) {
            Case some = world.expression(0);
            Idset expected =
                    world.graph.where(world.graph.all(), v -> some.meaning().test(v, EdgeKind.CONTAINMENT));
            try {
                Search.Found found = Search.all(Expression.parse(some.text())).in(world.graph, world.r);
                assertThat(found.vertices()).as(some.text()).isEqualTo(expected);
                assertThat(found.ranks()).as(some.text()).isEqualTo(ranks(world, expected));
            } catch (MalformedException e) {
                assertThat(e.reason()).as(some.text()).startsWith("this is not in subsystem");
            }
        }
    }

    private static Idset ranks(World world, Idset found) {
        Idset.Builder ranks = Idset.builder();
        world.graph.all().forEach(v -> {
            boolean node = world.type(v).equals("node");
            if (node
                    && found.stream()
                            .anyMatch(f -> world.node(f) == v
                                    || (world.node(f) < 0
                                            && world.graph.subsystems().stream()
                                                    .anyMatch(s -> world.isBelow(v, f, s)
                                                            && (s.equals(EdgeKind.CONTAINMENT)
                                                                    || !world.graph.isIn(f, EdgeKind.CONTAINMENT)))))) {
                ranks.addAll(world.r.ranksOf(world.name(v)));
            }
        });
        return ranks.build();
    }

    @Seeds
    void thePathOfEveryVertexLeadsBackToIt(Random random) {
        World world = new World(random);
        world.graph.all().forEach(v -> {
            String path = Search.all(Expression.parse("node")).path(world.graph, v);
            String quoted = "'" + path + "'";
            if (world.graph.subsystems().stream().anyMatch(s -> world.graph.isIn(v, s))) {
                Expression expression = Expression.parse(quoted);
                Idset found = Search.all(expression).in(world.graph, world.r).vertices();
                assertThat(found).as(path).isEqualTo(new Paths(world.graph, world.r).find(path));
                assertThat(found).as(path).isEqualTo(Idset.of(v));
            }
        });
    }

    @Seeds
    void aWalkSkipsVerticesBelowPrunedOnesAndKeepsItsOrder(Random random) {
        World world = new World(random);
        Expression everything = Expression.parse("size>=0");
        Search.Order order = random.nextBoolean() ? Search.Order.PRE : Search.Order.POST;
        Search search = new Search(everything, EdgeKind.CONTAINMENT, null, Expression.parse("type=node"), order, 0, "");
        Search.Found found = search.in(world.graph, world.r);
        List<Integer> ordered = search.ordered(world.graph, found);
        assertThat(ordered).hasSize(found.vertices().size()).doesNotHaveDuplicates();
        world.graph.in(EdgeKind.CONTAINMENT).forEach(v -> {
            int parent = world.graph.parent(v, EdgeKind.CONTAINMENT);
            assertThat(found.vertices().contains(v)).isEqualTo(parent < 0 || world.node(parent) < 0);
            if (parent >= 0 && found.vertices().contains(v)) {
                assertThat(ordered.indexOf(parent) < ordered.indexOf(v)).isEqualTo(order == Search.Order.PRE);
            }
        });
    }

    /** In a cycle, every vertex is below itself. Each vertex is listed once, even if many vertices have no vertex above them. */
    @Test
    void aWalkOfACyclicSubsystemEndsAndListsEachVertexOnce() {
        ResourceGraph.Builder builder = ResourceGraph.builder();
        int hub = World.vertex(builder, "switch", "", 0, 1, -1);
        for (int i = 1; i <= 3000; i++) {
            int port = World.vertex(builder, "port", "", i, 1, -1);
            builder.edge(port, hub, new EdgeKind(NET, "conduit-of", true, Map.of()));
        }
        ResourceGraph graph = builder.build();
        assertThat(graph.tops(NET).size()).isEqualTo(3000);
        Search search = new Search(Expression.parse("port in switch0"), NET, null, null, Search.Order.POST, 0, "");
        Search.Found found = search.in(graph, ResourceSet.EMPTY);
        assertThat(search.ordered(graph, found)).hasSize(3000).doesNotHaveDuplicates();
        Search.Found circle = Search.all(Expression.parse("'" + NET + "':/port1" + "/switch0/*".repeat(499)))
                .in(graph, ResourceSet.EMPTY);
        assertThat(circle.vertices().size()).isEqualTo(3000);
    }
}
