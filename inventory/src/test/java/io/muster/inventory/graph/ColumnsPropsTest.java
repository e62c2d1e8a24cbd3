package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/** A graph of columns is the same graph as a table of vertices and edges that plain loops make from the same R and entries. */
class ColumnsPropsTest {
    private static ResourceSet someR(Random random) {
        ResourceSet r = ResourceSet.EMPTY;
        int rank = 0;
        for (int i = 0; i < 1 + random.nextInt(10); i++) {
            rank += 1 + random.nextInt(2);
            Idset cores = Idset.range(0, random.nextInt(5));
            Idset gpus = random.nextBoolean() ? Idset.EMPTY : Idset.of(0, 2, 3);
            Map<String, Idset> properties = random.nextInt(3) > 0 ? Map.of() : Map.of("ssd", Idset.of(rank));
            r = r.append(ResourceSet.of(Hostlist.of("n" + i), Idset.of(rank), cores, gpus, properties));
        }
        return r;
    }

    private static String hosts(Random random, int most) {
        List<String> names =
                new ArrayList<>(IntStream.range(0, 14).mapToObj(i -> "n" + i).toList());
        if (random.nextBoolean()) {
            Collections.shuffle(names, random);
        }
        return String.join(",", names.subList(0, 1 + random.nextInt(most)));
    }

    private static ObjectNode entry(ArrayNode entries, String type, String in) {
        ObjectNode entry = entries.addObject().put("type", type);
        return in.isEmpty() ? entry : entry.put("in", in);
    }

    private static ArrayNode someEntries(Random random) {
        ArrayNode entries = JsonNodeFactory.instance.arrayNode();
        String[] directions = {"down", "both", "opposite"};
        if (random.nextBoolean()) {
            entry(entries, "cluster", "").put("names", "East");
        }
        if (random.nextBoolean()) {
            entry(entries, "rack", "")
                    .put("count", 1 + random.nextInt(4))
                    .put("direction", directions[random.nextInt(3)]);
            if (random.nextBoolean()) {
                entry(entries, "chassis", "rack").put("names", "c[1-5],x").put("hosts", hosts(random, 14));
            } else {
                ((ObjectNode) entries.get(entries.size() - 1)).put("hosts", hosts(random, 14));
                entry(entries, "drawer", "rack").put("count", 2).put("size", 4).put("unit", "U");
            }
            ObjectNode pdu = entry(entries, "pdu", "").put("subsystem", "power").put("names", "p[7-9]");
            pdu.put("holds", "rack").put("direction", directions[random.nextInt(3)]);
        }
        if (random.nextBoolean()) {
            entry(entries, "feed", "")
                    .put("subsystem", "power")
                    .put("hosts", hosts(random, 14))
                    .put("count", 5)
                    .put("each", 3);
        }
        int sockets = random.nextInt(4);
        if (sockets > 0) {
            ObjectNode socket = entry(entries, "socket", "node").put("count", sockets);
            socket.putArray("holds").add("core").add("gpu");
            if (random.nextBoolean()) {
                socket.put("hosts", hosts(random, 14)).put("each", 1 + random.nextInt(3));
            }
            ObjectNode memory =
                    entry(entries, "memory", "socket").put("size", 16).put("unit", "GB");
            memory.putObject("properties").put("speed", "fast");
            entry(entries, "l3", "socket").put("names", "a,b,l3").put("hosts", hosts(random, 14));
        }
        return entries;
    }

    /** A vertex of the plain graph. */
    private static final class V {
        final Pool pool;
        final int rank;

        V(Pool pool, int rank) {
            this.pool = pool;
            this.rank = rank;
        }
    }

    private record Edge(V parent, V child) {}

    private record Edges(List<V> parents, List<Edge> edges, EdgeKind kind, boolean opposite) {}

    /** The plain graph, made with loops over every vertex. */
    private static final class Plain {
        final ResourceSet r;
        final Detail detail;
        final JsonNode entries;
        final List<V> all = new ArrayList<>();
        final List<V> nodes = new ArrayList<>();
        final List<Edges> links = new ArrayList<>();
        final Map<JsonNode, List<V>> made = new LinkedHashMap<>();
        /** The columns of parts of nodes, by entry. A node without the part has none. */
        final Map<JsonNode, List<Map<V, V>>> parts = new LinkedHashMap<>();

        Plain(ResourceSet r, Detail detail, JsonNode entries) {
            this.r = r;
            this.detail = detail;
            this.entries = entries;
        }

        V add(Pool pool, int rank) {
            V v = new V(pool, rank);
            all.add(v);
            return v;
        }

        static Pool named(String type, String name, JsonNode e, Map<String, String> properties) {
            String digits = name.replaceAll("^.*?(0|[1-9][0-9]*)?$", "$1");
            String base = name.substring(0, name.length() - digits.length());
            PoolKind kind = new PoolKind(
                    type, base, e.path("size").asLong(1), e.path("unit").asText(""), new TreeMap<>(properties));
            return new Pool(kind, digits.isEmpty() ? Pool.NO_ID : Long.parseLong(digits), name, Map.of());
        }

        static List<String> names(JsonNode e, int above) {
            List<String> names = new ArrayList<>();
            if (e.has("names")) {
                return Hostlist.parse(e.get("names").asText()).expand();
            }
            for (int i = 0; i < above; i++) {
                IntStream.range(0, e.path("count").asInt(1))
                        .forEach(k -> names.add(e.get("type").asText() + k));
            }
            return names;
        }

        static Map<String, String> properties(JsonNode e) {
            Map<String, String> properties = new TreeMap<>();
            e.path("properties")
                    .properties()
                    .forEach(p -> properties.put(p.getKey(), p.getValue().asText()));
            return properties;
        }

        static EdgeKind kind(JsonNode e) {
            boolean containment = !e.has("subsystem");
            return new EdgeKind(
                    e.path("subsystem").asText("containment"),
                    containment ? "contains" : "conduit-of",
                    e.path("direction").asText().equals("both"),
                    Map.of());
        }

        void link(JsonNode e, List<V> parents, List<Edge> edges) {
            if (!edges.isEmpty()) {
                links.add(new Edges(
                        parents, edges, kind(e), e.path("direction").asText().equals("opposite")));
            }
        }

        static int even(int all, int parts) {
            return Math.max(1, (all + parts - 1) / Math.max(1, parts));
        }

        /** Gives the first {@code each} children to the first parent and so on. */
        static List<Edge> inTurn(List<V> parents, List<V> children, int each) {
            List<Edge> edges = new ArrayList<>();
            for (int i = 0; i < children.size(); i++) {
                edges.add(new Edge(parents.get(i / each), children.get(i)));
            }
            return edges;
        }

        List<V> ofType(String type) {
            List<V> found = new ArrayList<>();
            made.forEach((e, vs) -> found.addAll(e.get("type").asText().equals(type) ? vs : List.of()));
            return found;
        }

        boolean isInside(JsonNode e) {
            return List.of("node", "socket").contains(e.path("in").asText());
        }

        ResourceGraph build() {
            JsonNode none = JsonNodeFactory.instance.objectNode();
            boolean east = entries.path(0).path("type").asText().equals("cluster");
            add(east ? named("cluster", "East", none, Map.of()) : Pool.of(PoolKind.of("cluster", 1), 0), -1);
            r.ranks().forEach(rank -> {
                Map<String, String> properties = new TreeMap<>();
                r.properties().forEach((name, having) -> {
                    if (having.contains(rank)) {
                        properties.put(name, "");
                    }
                });
                nodes.add(add(named("node", r.hostOf(rank), none, properties), rank));
            });
            List<V> loose = new ArrayList<>(nodes);
            for (JsonNode e : entries) {
                if (!isInside(e) && !e.get("type").asText().equals("cluster")) {
                    above(e);
                }
            }
            roots();
            for (JsonNode e : made.keySet()) {
                List<V> held = ofType(e.path("holds").asText());
                link(
                        e,
                        made.get(e),
                        inTurn(made.get(e), held, even(held.size(), made.get(e).size())));
                hosts(e, loose);
            }
            link(
                    none,
                    List.of(all.get(0)),
                    loose.stream().map(n -> new Edge(all.get(0), n)).toList());
            if (detail != Detail.NODES) {
                for (JsonNode e : entries) {
                    if (isInside(e)) {
                        inside(e);
                    }
                }
                r.groups().forEach(this::resources);
            }
            return table();
        }

        void above(JsonNode e) {
            List<V> parents = ofType(e.path("in").asText());
            List<V> own = new ArrayList<>();
            for (String name : names(e, e.has("in") ? parents.size() : 1)) {
                own.add(add(named(e.get("type").asText(), name, e, properties(e)), -1));
            }
            made.put(e, own);
            if (e.has("in")) {
                link(e, parents, inTurn(parents, own, even(own.size(), parents.size())));
            }
        }

        void roots() {
            Map<String, List<V>> tops = new TreeMap<>();
            Map<String, JsonNode> first = new TreeMap<>();
            made.forEach((e, vs) -> {
                if (!e.has("in")) {
                    String subsystem = e.path("subsystem").asText("containment");
                    tops.computeIfAbsent(subsystem, s -> new ArrayList<>()).addAll(vs);
                    first.putIfAbsent(subsystem, e);
                }
            });
            tops.forEach((subsystem, vs) -> {
                boolean containment = subsystem.equals("containment");
                if (containment || vs.size() > 1) {
                    V root = containment ? all.get(0) : add(Pool.of(PoolKind.of(subsystem, 1), 0), -1);
                    link(
                            Objects.requireNonNull(first.get(subsystem)),
                            List.of(root),
                            inTurn(List.of(root), vs, vs.size()));
                }
            });
        }

        void hosts(JsonNode e, List<V> loose) {
            List<String> names = Hostlist.parse(e.path("hosts").asText("")).expand();
            List<V> own = made.getOrDefault(e, List.of());
            int each = e.path("each").asInt(even(names.size(), own.size()));
            List<Edge> edges = new ArrayList<>();
            for (V node : nodes) {
                int at = names.indexOf(node.pool.name());
                if (at >= 0) {
                    edges.add(new Edge(own.get(at / each), node));
                    loose.removeIf(n -> n == node && !e.has("subsystem"));
                }
            }
            link(e, own, edges);
        }

        void inside(JsonNode e) {
            List<String> hosts = Hostlist.parse(e.path("hosts").asText("")).expand();
            List<Map<V, V>> parents = new ArrayList<>();
            if (e.get("in").asText().equals("node")) {
                Map<V, V> self = new LinkedHashMap<>();
                nodes.forEach(n -> self.put(n, n));
                parents.add(self);
            }
            parts.forEach((p, columns) -> parents.addAll(p.get("type").equals(e.get("in")) ? columns : List.of()));
            List<String> names = names(e, parents.size());
            List<Map<V, V>> own = new ArrayList<>();
            for (int i = 0; i < names.size() && !parents.isEmpty(); i++) {
                Map<V, V> parent = parents.get(i / even(names.size(), parents.size()));
                List<V> having = parent.keySet().stream()
                        .filter(n -> hosts.isEmpty() || hosts.contains(n.pool.name()))
                        .toList();
                Pool pool = named(e.get("type").asText(), names.get(i), e, properties(e));
                Map<V, V> column = column(e, pool, having, parent);
                own.addAll(column.isEmpty() ? List.of() : List.of(column));
            }
            parts.put(e, own);
        }

        Map<V, V> column(JsonNode e, Pool pool, List<V> having, Map<V, V> parent) {
            Map<V, V> column = new LinkedHashMap<>();
            List<Edge> edges = new ArrayList<>();
            for (V node : having) {
                column.put(node, add(pool, node.rank));
                edges.add(new Edge(Objects.requireNonNull(parent.get(node)), Objects.requireNonNull(column.get(node))));
            }
            link(e, having.stream().map(parent::get).toList(), edges);
            return column;
        }

        void resources(Group group) {
            group.children().forEach((type, ids) -> {
                List<V> having = nodes.stream()
                        .filter(n -> group.ranks().contains(n.rank))
                        .toList();
                Map<V, V> self = new LinkedHashMap<>();
                nodes.forEach(n -> self.put(n, n));
                List<Map<V, V>> sockets = new ArrayList<>();
                int[] each = {0};
                parts.forEach((e, columns) -> {
                    if (e.get("type").asText().equals("socket")) {
                        sockets.addAll(columns);
                        each[0] = e.path("each").asInt(0);
                    }
                });
                List<V> within = having.stream()
                        .filter(n -> !sockets.isEmpty() && sockets.get(0).containsKey(n))
                        .toList();
                List<V> outside =
                        having.stream().filter(n -> !within.contains(n)).toList();
                int share = each[0] > 0 ? each[0] : even(ids.size(), Math.max(1, sockets.size()));
                List<Integer> list = ids.stream().boxed().toList();
                for (int i = 0; i < sockets.size() && !within.isEmpty(); i++) {
                    units(type, sub(list, i * share, (i + 1) * share), within, sockets.get(i));
                }
                if (!within.isEmpty()) {
                    units(type, sub(list, sockets.size() * share, list.size()), within, self);
                }
                units(type, list, outside, self);
            });
        }

        static List<Integer> sub(List<Integer> list, int from, int to) {
            return from >= list.size() ? List.of() : list.subList(from, Math.min(to, list.size()));
        }

        void units(String type, List<Integer> ids, List<V> having, Map<V, V> parent) {
            if (ids.isEmpty() || having.isEmpty()) {
                return;
            }
            JsonNode none = JsonNodeFactory.instance.objectNode();
            if (detail == Detail.POOLS && ids.size() > 1) {
                Idset set = Idset.of(ids.stream().mapToInt(i -> i).toArray());
                PoolKind kind = PoolKind.of(type, ids.size()).withProperties(Map.of("ids", set.toString()));
                column(none, Pool.of(kind, Pool.NO_ID), having, parent);
            } else {
                ids.forEach(id -> column(none, Pool.of(PoolKind.of(type, 1), id), having, parent));
            }
        }

        ResourceGraph table() {
            ResourceGraph.Builder b = ResourceGraph.builder();
            for (int i = 0; i < all.size(); i++) {
                b.vertex(Integer.toString(i), all.get(i).pool, all.get(i).rank);
            }
            for (V v : all) {
                Map<List<V>, List<Edges>> starting = new LinkedHashMap<>();
                links.stream()
                        .filter(l -> l.parents.contains(v))
                        .forEach(l -> starting.computeIfAbsent(l.parents, p -> new ArrayList<>())
                                .add(l));
                starting.values()
                        .forEach(ls -> ls.forEach(l -> l.edges.stream()
                                .filter(edge -> edge.parent == v)
                                .forEach(edge -> b.edge(all.indexOf(v), all.indexOf(edge.child), l.kind))));
                links.stream()
                        .filter(Edges::opposite)
                        .forEach(l -> l.edges.stream()
                                .filter(edge -> edge.child == v)
                                .forEach(edge -> b.edge(
                                        all.indexOf(v),
                                        all.indexOf(edge.parent),
                                        EdgeKind.of(l.kind.subsystem(), "in"))));
            }
            return b.build();
        }
    }

    private static void same(ResourceGraph columns, ResourceGraph table) {
        assertThat(columns.size()).isEqualTo(table.size());
        assertThat(columns.subsystems()).isEqualTo(table.subsystems());
        for (int v = 0; v < table.size(); v++) {
            assertThat(columns.pool(v)).isEqualTo(table.pool(v));
            assertThat(columns.rank(v)).isEqualTo(table.rank(v));
            assertThat(columns.key(v)).isEqualTo(table.key(v));
            for (String subsystem : table.subsystems()) {
                assertThat(columns.isIn(v, subsystem)).isEqualTo(table.isIn(v, subsystem));
                assertThat(columns.parent(v, subsystem)).isEqualTo(table.parent(v, subsystem));
                assertThat(columns.path(v, subsystem)).isEqualTo(table.path(v, subsystem));
                assertThat(children(columns, v, subsystem)).isEqualTo(children(table, v, subsystem));
            }
        }
        assertThat(Jgf.toJson(columns, Jgf.Form.FULL).toString())
                .isEqualTo(Jgf.toJson(table, Jgf.Form.FULL).toString());
        Idset third = scan(table, v -> v % 3 == 0);
        assertThat(Jgf.toJson(columns, Jgf.Form.FULL, third).toString())
                .isEqualTo(Jgf.toJson(table, Jgf.Form.FULL, third).toString());
        assertThat(columns.kinds()).isEqualTo(table.kinds());
    }

    private static List<Integer> children(ResourceGraph graph, int vertex, String subsystem) {
        List<Integer> children = new ArrayList<>();
        graph.forEachChild(vertex, subsystem, children::add);
        return children;
    }

    private static Detail detail(Random random) {
        return List.of(Detail.values()).get(random.nextInt(3));
    }

    @Seeds
    void columnsAreTheSameGraphAsATable(Random random) {
        ResourceSet r = random.nextInt(20) == 0 ? ResourceSet.EMPTY : someR(random);
        Detail detail = detail(random);
        same(ResourceGraph.of(r, detail), new Plain(r, detail, JsonNodeFactory.instance.arrayNode()).build());
    }

    @Seeds
    void columnsWithConfiguredEntriesAreTheSameGraphAsATable(Random random) {
        ResourceSet r = random.nextInt(20) == 0 ? ResourceSet.EMPTY : someR(random);
        ArrayNode entries = someEntries(random);
        Detail detail = detail(random);
        Problems problems = new Problems();
        List<GraphEntry> read = GraphEntry.readAll(entries, "graph", problems);
        assertThat(problems.errors()).as("%s", entries).isEmpty();
        ResourceGraph columns = Structure.of(r, read, detail);
        same(columns, new Plain(r, detail, entries).build());
        assertThat(columns.nodesOf(r, r.ranks()).stream().map(columns::rank).boxed())
                .containsExactlyElementsOf(r.ranks().stream().boxed().toList());
    }

    private static Idset scan(ResourceGraph graph, IntPredicate test) {
        return Idset.of(IntStream.range(0, graph.size()).filter(test).toArray());
    }

    private static Idset reach(ResourceGraph graph, Idset from, String subsystem, boolean down) {
        Idset.Builder found = Idset.builder();
        for (int v = 0; v < graph.size(); v++) {
            int at = v;
            graph.forEachChild(v, subsystem, child -> {
                if (from.contains(down ? at : child)) {
                    found.add(down ? child : at);
                }
            });
        }
        Idset more = found.build().union(from);
        return more.equals(from) ? from : reach(graph, more, subsystem, down);
    }

    /** The sets of vertices that a store computes from intervals are those that a scan of all vertices finds. */
    @Seeds
    void setsOfVerticesEqualThoseOfAScan(Random random) {
        ResourceSet r = someR(random);
        List<GraphEntry> entries = GraphEntry.readAll(someEntries(random), "graph", new Problems());
        Detail detail = detail(random);
        ColumnLayout store = new ColumnBuilder(r, detail, entries, List.of()).build();
        ResourceGraph graph = Structure.of(r, entries, detail);
        Idset some = scan(graph, v -> random.nextInt(4) == 0);
        for (String subsystem : graph.subsystems()) {
            Idset.Builder children = Idset.builder();
            some.forEach(v -> graph.forEachChild(v, subsystem, children::add));
            assertThat(store.children(some, subsystem)).isEqualTo(children.build());
            assertThat(store.below(some, subsystem).union(some)).isEqualTo(reach(graph, some, subsystem, true));
            assertThat(store.above(some, subsystem).union(some)).isEqualTo(reach(graph, some, subsystem, false));
            assertThat(store.in(subsystem)).isEqualTo(scan(graph, v -> graph.isIn(v, subsystem)));
            assertThat(store.tops(subsystem))
                    .isEqualTo(scan(
                            graph,
                            v -> v == graph.root(subsystem)
                                    || (graph.isIn(v, subsystem) && graph.parent(v, subsystem) < 0)));
        }
        List<String> types = List.of("node", "core", "rack", "memory", "pdu");
        String type = types.get(random.nextInt(types.size()));
        assertThat(store.ofKind(kind -> kind.type().equals(type)))
                .isEqualTo(scan(graph, v -> graph.pool(v).type().equals(type)));
        assertThat(store.ofPool(pool -> pool.id() == 1))
                .isEqualTo(scan(graph, v -> graph.pool(v).id() == 1));
        Set<String> names = Set.of("n1", "core2", "rack0", "pdu0", "East");
        assertThat(store.named(names))
                .isEqualTo(scan(graph, v -> names.contains(graph.pool(v).name())));
        Idset nodes = some.intersect(store.nodesOf(r, r.ranks()));
        assertThat(store.ranksOf(r, nodes))
                .isEqualTo(Idset.of(nodes.stream().map(graph::rank).toArray()));
    }
}
