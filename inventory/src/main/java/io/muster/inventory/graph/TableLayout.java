package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.jgf.VertexIds;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;

/**
 * Stores a graph that was read from a document: vertices in a list, edges in arrays with an index by source and an index by
 * target.
 */
final class TableLayout implements GraphStore {
    /** The vertices as parallel arrays, which become part of the layout. The class groups parameters and is never compared. */
    static final class Vertices {
        final List<Pool> pools;
        final int[] ranks;
        final VertexIds keys;

        Vertices(List<Pool> pools, int[] ranks, VertexIds keys) {
            this.pools = pools;
            this.ranks = ranks;
            this.keys = keys;
        }
    }

    static final class Edges {
        final int[] sources;
        final int[] targets;
        final int[] kindOf;
        final List<EdgeKind> kinds;

        Edges(int[] sources, int[] targets, int[] kindOf, List<EdgeKind> kinds) {
            this.sources = sources;
            this.targets = targets;
            this.kindOf = kindOf;
            this.kinds = kinds;
        }
    }

    private final Vertices vertices;
    private final Edges edges;
    private final SortedMap<String, Integer> roots;
    private final Index bySource;
    private final Index byTarget;

    TableLayout(Vertices vertices, Edges edges, SortedMap<String, Integer> roots) {
        this.vertices = vertices;
        this.edges = edges;
        this.roots = Collections.unmodifiableSortedMap(new TreeMap<>(roots));
        this.bySource = new Index(edges.sources, vertices.pools.size());
        this.byTarget = new Index(edges.targets, vertices.pools.size());
    }

    private TableLayout(TableLayout of, List<Pool> pools) {
        this.vertices = new Vertices(pools, of.vertices.ranks, of.vertices.keys);
        this.edges = of.edges;
        this.roots = of.roots;
        this.bySource = of.bySource;
        this.byTarget = of.byTarget;
    }

    /**
     * An index of edges by their source or by their target. The edges of vertex {@code v}, in the order given, are {@code
     * edges[start[v]] .. edges[start[v + 1] - 1]}.
     */
    static final class Index {
        private final int[] start;
        private final int[] edges;

        Index(int[] ends, int vertices) {
            start = new int[vertices + 1];
            edges = new int[ends.length];
            for (int end : ends) {
                start[end + 1]++;
            }
            for (int v = 0; v < vertices; v++) {
                start[v + 1] += start[v];
            }
            int[] next = start.clone();
            for (int e = 0; e < ends.length; e++) {
                edges[next[ends[e]]++] = e;
            }
        }

        boolean has(int vertex) {
            return start[vertex] < start[vertex + 1];
        }

        void forEach(int vertex, IntConsumer consumer) {
            for (int i = start[vertex]; i < start[vertex + 1]; i++) {
                consumer.accept(edges[i]);
            }
        }
    }

    @Override
    public int size() {
        return vertices.pools.size();
    }

    @Override
    public Pool pool(int vertex) {
        return vertices.pools.get(vertex);
    }

    @Override
    public int rank(int vertex) {
        return vertices.ranks[vertex];
    }

    @Override
    public String key(int vertex) {
        return vertices.keys.key(vertex);
    }

    @Override
    public SortedMap<String, Integer> roots() {
        return roots;
    }

    @Override
    public void out(int vertex, EdgeConsumer consumer) {
        bySource.forEach(vertex, e -> edge(e, consumer));
    }

    @Override
    public void in(int vertex, EdgeConsumer consumer) {
        byTarget.forEach(vertex, e -> edge(e, consumer));
    }

    private void edge(int e, EdgeConsumer consumer) {
        consumer.edge(edges.sources[e], edges.targets[e], edges.kinds.get(edges.kindOf[e]));
    }

    @Override
    public void edges(EdgeConsumer consumer) {
        for (int e = 0; e < edges.sources.length; e++) {
            edge(e, consumer);
        }
    }

    /**
     * Finds the rank of a vertex by its host name, because R may renumber its hosts and leave its graph unchanged; by the
     * vertex's own rank if no vertex has the name of a host.
     */
    @Override
    public IntUnaryOperator ranksIn(ResourceSet r) {
        if (vertices.pools.stream().noneMatch(p -> isNode(p) && r.hosts().contains(p.name()))) {
            return this::rank;
        }
        Idset ranks = r.ranks();
        return vertex -> {
            int index = r.hosts().indexOf(pool(vertex).name());
            return index < 0 ? -1 : ranks.nth(index);
        };
    }

    @Override
    public GraphStore withProperties(ResourceSet r) {
        Map<Integer, SortedMap<String, String>> added = new HashMap<>();
        r.properties()
                .forEach((name, ranks) -> nodesOf(r, ranks).forEach(v -> {
                    if (!pool(v).kind().has(name)) {
                        added.computeIfAbsent(
                                        v, node -> new TreeMap<>(pool(node).properties()))
                                .put(name, "");
                    }
                }));
        if (added.isEmpty()) {
            return this;
        }
        List<Pool> pools = new ArrayList<>(vertices.pools);
        Map<PoolKind, PoolKind> kinds = new HashMap<>();
        added.forEach((v, properties) -> {
            Pool pool = pool(v);
            PoolKind kind = kinds.computeIfAbsent(pool.kind().withProperties(properties), k -> k);
            pools.set(v, new Pool(kind, pool.id(), pool.name(), pool.more()));
        });
        return new TableLayout(this, List.copyOf(pools));
    }

    /** Returns the vertices of a subsystem. A vertex without edges is in containment. */
    @Override
    public Idset in(String subsystem) {
        Idset found = GraphStore.super.in(subsystem);
        return subsystem.equals(EdgeKind.CONTAINMENT)
                ? found.union(where(all(), v -> !bySource.has(v) && !byTarget.has(v)))
                : found;
    }

    private static boolean isNode(Pool pool) {
        return pool.type().equals("node");
    }

    @Override
    public Idset nodesOf(ResourceSet r, Idset ranks) {
        IntUnaryOperator rankOf = ranksIn(r);
        Idset.Builder nodes = Idset.builder();
        for (int v = 0; v < size(); v++) {
            int rank = isNode(pool(v)) ? rankOf.applyAsInt(v) : -1;
            if (rank >= 0 && ranks.contains(rank)) {
                nodes.add(v);
            }
        }
        return nodes.build();
    }
}
