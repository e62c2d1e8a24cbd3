package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The resource graph of RFC 4. Vertices are the numbers from 0 to {@code size() - 1}; each refers to its {@link Pool}. A
 * graph is immutable: methods that change something return a new graph that shares everything else, at a cost that depends
 * on the number of intervals of vertices.
 *
 * <p>A graph made from a resource set stores only its kinds of nodes and computes vertices on demand, so that a million
 * similar nodes need no more memory than one.
 */
public final class ResourceGraph {
    private final GraphStore layout;
    private final IdMap<Extended> extended;
    private final Map<String, JsonNode> more;
    private final GivenPaths given;

    private ResourceGraph(GraphStore layout, IdMap<Extended> extended, Map<String, JsonNode> more, GivenPaths given) {
        this.layout = layout;
        this.extended = extended;
        this.more = more;
        this.given = given;
    }

    /** Returns a graph in subsystem containment: the cluster, its nodes, and their children in the given detail. */
    public static ResourceGraph of(ResourceSet r, Detail detail) {
        return new ResourceGraph(new RankLayout(r, detail), IdMap.empty(), Map.of(), new GivenPaths());
    }

    public static Builder builder() {
        return new Builder();
    }

    public int size() {
        return layout.size();
    }

    public Pool pool(int vertex) {
        return layout.pool(vertex);
    }

    /** Returns the execution target that the vertex is or belongs to, or -1. */
    public int rank(int vertex) {
        return layout.rank(vertex);
    }

    /** Returns the id of the vertex in JGF. */
    public String key(int vertex) {
        return layout.key(vertex);
    }

    /**
     * Returns the further keys of the document, unchanged. A key that stands beside the key {@code graph} has the prefix
     * {@link io.muster.inventory.jgf.JgfVertex#OUTSIDE}.
     */
    Map<String, JsonNode> more() {
        return more;
    }

    public Set<String> subsystems() {
        return layout.roots().keySet();
    }

    /** Returns the vertex at which a walk of {@code subsystem} starts, or -1 if there is no such subsystem. */
    public int root(String subsystem) {
        return layout.roots().getOrDefault(subsystem, -1);
    }

    /** Visits the vertices below {@code vertex}, along every edge of the subsystem that does not point back up. */
    public void forEachChild(int vertex, String subsystem, IntConsumer children) {
        layout.out(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                children.accept(target);
            }
        });
        layout.in(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && kind.bothWays()) {
                children.accept(source);
            }
        });
    }

    /** Returns the vertex above in {@code subsystem}, or -1 if there is none. */
    public int parent(int vertex, String subsystem) {
        int[] parent = {-1};
        layout.in(vertex, (source, target, kind) -> {
            if (parent[0] < 0 && kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                parent[0] = source;
            }
        });
        return parent[0];
    }

    /** Returns the names from the root down to the vertex along the edges, each after a slash. */
    public String path(int vertex, String subsystem) {
        Deque<String> names = new ArrayDeque<>();
        int root = root(subsystem);
        int at = vertex;
        // The edges of a subsystem other than containment may form a circle. The limit on steps ends the walk in a
        // circle that does not contain the root.
        for (int steps = 0; at >= 0 && steps <= 1000; steps++) {
            names.addFirst(pool(at).name());
            at = at == root ? -1 : parent(at, subsystem);
        }
        return "/" + String.join("/", names);
    }

    /**
     * Returns the vertex's path in each of its subsystems: the paths of the document that it was read from, or else the paths
     * along its edges.
     */
    Map<String, String> paths(int vertex) {
        @Nullable Map<String, String> givenPaths = given.of(vertex, pool(vertex).name());
        return givenPaths == null ? pathsByEdges(vertex) : givenPaths;
    }

    Map<String, String> pathsByEdges(int vertex) {
        Map<String, String> paths = new LinkedHashMap<>();
        for (String subsystem : subsystems()) {
            if (isIn(vertex, subsystem)) {
                paths.put(subsystem, path(vertex, subsystem));
            }
        }
        return paths;
    }

    /** Returns whether the vertex is the root of the subsystem or has an edge in it. */
    public boolean isIn(int vertex, String subsystem) {
        boolean[] found = {root(subsystem) == vertex};
        EdgeConsumer look =
                (source, target, kind) -> found[0] |= kind.subsystem().equals(subsystem);
        layout.out(vertex, look);
        layout.in(vertex, look);
        return found[0];
    }

    /** Visits every edge in the order given. */
    public void forEachEdge(EdgeConsumer edges) {
        layout.edges(edges);
    }

    /**
     * Returns a function from a node vertex to its rank in {@code r}, or -1: the rank of the host with the vertex's name or, if
     * no node vertex has the name of a host, the vertex's own rank.
     */
    public IntUnaryOperator ranksIn(ResourceSet r) {
        return layout.ranksIn(r);
    }

    /**
     * Returns the node vertices that stand for {@code ranks} of {@code r}; if the graph was made from {@code r}, the cost
     * depends on the number of intervals.
     */
    public Idset nodesOf(ResourceSet r, Idset ranks) {
        return layout.nodesOf(r, ranks);
    }

    public Extended extended(int vertex) {
        return Extended.orNone(extended.get(vertex));
    }

    /** Sets a tag on {@code vertices}, as {@code Tag(K, [V])} of RFC 4 does. */
    public ResourceGraph tag(Idset vertices, String key, String value) {
        return update(vertices, e -> e.withTag(key, value));
    }

    public ResourceGraph state(Idset vertices, @Nullable String state) {
        return update(vertices, e -> e.withState(state));
    }

    public ResourceGraph scheduler(Idset vertices, String key, JsonNode value) {
        return update(vertices, e -> e.withScheduler(key, value));
    }

    private ResourceGraph update(Idset vertices, UnaryOperator<Extended> change) {
        if (!vertices.isEmpty() && vertices.last() >= size()) {
            throw new IndexOutOfBoundsException("vertex " + vertices.last() + " of " + size());
        }
        return new ResourceGraph(layout, extended.update(vertices, e -> change.apply(Extended.orNone(e))), more, given);
    }

    /**
     * Returns this graph with the state of each node of {@code r}: up, drained, or otherwise down. Pictures of the graph
     * show the state.
     */
    public ResourceGraph withLiveState(ResourceSet r, Idset up, Idset drained) {
        return state(nodesOf(r, r.ranks()), Extended.DOWN)
                .state(nodesOf(r, up), Extended.UP)
                .state(nodesOf(r, drained), Extended.DRAINED);
    }

    /**
     * Returns this graph with tags: each node gets one for every property that {@code r} gives the node and that its pool
     * does not have.
     */
    public ResourceGraph withProperties(ResourceSet r) {
        ResourceGraph tagged = this;
        for (Map.Entry<String, Idset> property : r.properties().entrySet()) {
            Idset.Builder nodes = Idset.builder();
            nodesOf(r, property.getValue()).forEach(v -> {
                if (!pool(v).properties().containsKey(property.getKey())) {
                    nodes.add(v);
                }
            });
            tagged = tagged.tag(nodes.build(), property.getKey(), "");
        }
        return tagged;
    }

    /**
     * Returns {@code vertices} and all vertices above them in every subsystem, which is the smallest graph that contains
     * {@code vertices}.
     */
    public Idset closure(Idset vertices) {
        BitSet closed = new BitSet(size());
        vertices.forEach(v -> subsystems().forEach(s -> {
            for (int at = v; at >= 0 && !closed.get(at); at = parent(at, s)) {
                closed.set(at);
            }
            for (int at = parent(v, s); at >= 0 && !closed.get(at); at = parent(at, s)) {
                closed.set(at);
            }
        }));
        Idset.Builder ids = Idset.builder();
        for (int from = closed.nextSetBit(0); from >= 0; from = closed.nextSetBit(closed.nextClearBit(from))) {
            ids.addRange(from, closed.nextClearBit(from) - 1);
        }
        return ids.build();
    }

    /** Collects vertices and edges. A builder belongs to one thread and is used once. */
    public static final class Builder {
        private final TableBuilder table = new TableBuilder();
        private final Map<String, JsonNode> more = new LinkedHashMap<>();
        private final GivenPaths given = new GivenPaths();

        private Builder() {}

        /**
         * Adds a vertex.
         *
         * @param key the id of the vertex in JGF, which must be unique
         * @param rank the execution target that the vertex is or belongs to, or -1
         * @return the number of the vertex, or -1 if the key is taken
         */
        public int vertex(String key, Pool pool, int rank) {
            return table.vertex(key, pool, rank);
        }

        public int find(String key) {
            return table.find(key);
        }

        public Builder edge(int source, int target, EdgeKind kind) {
            table.edge(source, target, kind);
            return this;
        }

        public Builder extended(int vertex, Extended data) {
            table.extended(vertex, data);
            return this;
        }

        void more(String key, JsonNode value) {
            more.put(key, value);
        }

        void paths(int vertex, String name, Map<String, String> paths) {
            given.add(vertex, name, paths);
        }

        /**
         * Returns the graph.
         *
         * @throws InvalidException on two roots or two parents in a subsystem, a circle, or an edge that is given twice
         */
        public ResourceGraph build() {
            Problems problems = new Problems();
            ResourceGraph graph = build(problems);
            problems.throwIfAny("graph");
            return graph;
        }

        public ResourceGraph build(Problems problems) {
            ResourceGraph graph = new ResourceGraph(
                    table.build(problems), table.extended(), Collections.unmodifiableMap(more), given);
            if (problems.isEmpty()) {
                given.keepUnlike(graph);
            }
            return graph;
        }
    }

    /**
     * The paths that a document gives to its vertices, by subsystem. A leaf stores only a reference to its parent's path,
     * which its siblings share.
     */
    private static final class GivenPaths {
        /** For a vertex that has no other path than in containment, this path without the vertex's name. */
        private @Nullable String[] above = new String[16];

        private final Map<String, String> known = new HashMap<>();
        private final Map<Integer, Map<String, String>> otherPaths = new HashMap<>();

        void add(int vertex, String name, Map<String, String> paths) {
            above = vertex < above.length ? above : Arrays.copyOf(above, Math.max(vertex + 1, above.length * 2));
            @Nullable String path = paths.size() == 1 ? paths.get(EdgeKind.CONTAINMENT) : null;
            if (path != null && path.endsWith("/" + name)) {
                String lead = path.substring(0, path.length() - name.length() - 1);
                above[vertex] = known.computeIfAbsent(lead, p -> p);
            } else {
                otherPaths.put(vertex, new LinkedHashMap<>(paths));
            }
        }

        /** Returns the paths of a vertex by subsystem, or null if the document gives none. */
        @Nullable
        Map<String, String> of(int vertex, String name) {
            @Nullable String lead = vertex < above.length ? above[vertex] : null;
            return lead == null ? otherPaths.get(vertex) : Map.of(EdgeKind.CONTAINMENT, lead + "/" + name);
        }

        /** Drops the paths that {@code graph} can compute from its edges, to save memory. */
        void keepUnlike(ResourceGraph graph) {
            boolean anyKept = false;
            for (int vertex = 0; vertex < graph.size(); vertex++) {
                @Nullable
                Map<String, String> given = of(vertex, graph.pool(vertex).name());
                if (given != null && given.equals(graph.pathsByEdges(vertex))) {
                    forget(vertex);
                } else {
                    anyKept |= given != null;
                }
            }
            if (!anyKept) {
                above = new String[0];
                known.clear();
            }
        }

        private void forget(int vertex) {
            above[vertex] = null;
            otherPaths.remove(vertex);
        }
    }
}
