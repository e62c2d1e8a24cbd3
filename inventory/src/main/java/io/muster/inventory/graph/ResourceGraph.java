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
 * The resource graph of RFC 4. Vertices are the numbers from 0 to {@code size() - 1}; each refers to its {@link Pool}. Immutable:
 * the setters give a changed graph that shares everything else, at a cost by intervals of vertices.
 *
 * <p>A graph made from a resource set holds its kinds of node only and works the vertices out when asked, so that a million like
 * nodes cost as much as one.
 */
public final class ResourceGraph {
    private final Layout layout;
    private final IdMap<Extended> extended;
    private final Map<String, JsonNode> more;
    private final GivenPaths given;

    private ResourceGraph(Layout layout, IdMap<Extended> extended, Map<String, JsonNode> more, GivenPaths given) {
        this.layout = layout;
        this.extended = extended;
        this.more = more;
        this.given = given;
    }

    /** cluster, its nodes, and their children in the detail asked, all in subsystem containment. */
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

    /** The execution target that the vertex is or belongs to, or -1. */
    public int rank(int vertex) {
        return layout.rank(vertex);
    }

    /** The vertex's id in JGF. */
    public String key(int vertex) {
        return layout.key(vertex);
    }

    /** What a document said beside its vertices and edges, untouched; keys beside the graph itself are marked as JGF marks them. */
    Map<String, JsonNode> more() {
        return more;
    }

    public Set<String> subsystems() {
        return layout.roots().keySet();
    }

    /** Where a walk of {@code subsystem} starts, or -1 if there is no such subsystem. */
    public int root(String subsystem) {
        return layout.roots().getOrDefault(subsystem, -1);
    }

    /** The vertices below {@code vertex}: along every edge of the subsystem that does not point back up. */
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

    /** The vertex above in {@code subsystem}, or -1. */
    public int parent(int vertex, String subsystem) {
        int[] parent = {-1};
        layout.in(vertex, (source, target, kind) -> {
            if (parent[0] < 0 && kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                parent[0] = source;
            }
        });
        return parent[0];
    }

    /** The names from the root down, each behind a slash, as the edges have it. */
    public String path(int vertex, String subsystem) {
        Deque<String> names = new ArrayDeque<>();
        int root = root(subsystem);
        int at = vertex;
        // Channels may run in circles; one that the root is no part of is left after so many steps.
        for (int steps = 0; at >= 0 && steps <= 1000; steps++) {
            names.addFirst(pool(at).name());
            at = at == root ? -1 : parent(at, subsystem);
        }
        return "/" + String.join("/", names);
    }

    /** The vertex's path in each subsystem that it is in: as the document that it was read from says, or else by its edges. */
    Map<String, String> paths(int vertex) {
        @Nullable Map<String, String> said = given.of(vertex, pool(vertex).name());
        return said == null ? pathsByEdges(vertex) : said;
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

    /** Whether the vertex is in the subsystem: its root, or with an edge of it. */
    public boolean isIn(int vertex, String subsystem) {
        boolean[] found = {root(subsystem) == vertex};
        EdgeConsumer look =
                (source, target, kind) -> found[0] |= kind.subsystem().equals(subsystem);
        layout.out(vertex, look);
        layout.in(vertex, look);
        return found[0];
    }

    /** Every edge, in the order given. */
    public void forEachEdge(EdgeConsumer edges) {
        layout.edges(edges);
    }

    /**
     * For node vertices: the rank in {@code r} that each stands for, or -1. That is the rank of the host that it is named after,
     * or its own if it and its like are named after none.
     */
    public IntUnaryOperator ranksIn(ResourceSet r) {
        return layout.ranksIn(r);
    }

    /** The node vertices of {@code ranks} of {@code r}; the cost is in intervals when the graph was made from it. */
    public Idset nodesOf(ResourceSet r, Idset ranks) {
        return layout.nodesOf(r, ranks);
    }

    public Extended extended(int vertex) {
        return Extended.orNone(extended.get(vertex));
    }

    /** RFC 4's {@code Tag(K, [V])}. */
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

    /** With the live state of the nodes of {@code r}, for those who look at it: up, drained, or else down. */
    public ResourceGraph withLiveState(ResourceSet r, Idset up, Idset drained) {
        return state(nodesOf(r, r.ranks()), Extended.DOWN)
                .state(nodesOf(r, up), Extended.UP)
                .state(nodesOf(r, drained), Extended.DRAINED);
    }

    /** With a tag on each node for every property that {@code r} gives it and that it does not have by itself. */
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

    /** {@code vertices} and all above them in every subsystem: the least subset that is a graph again. */
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

    /** Collects vertices and edges; belongs to one thread and is used once. */
    public static final class Builder {
        private final TableBuilder table = new TableBuilder();
        private final Map<String, JsonNode> more = new LinkedHashMap<>();
        private final GivenPaths given = new GivenPaths();

        private Builder() {}

        /**
         * @param key the vertex's id in JGF, unique
         * @param rank its execution target, or -1
         * @return the vertex's number, or -1 if the key is taken
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

        /** @throws InvalidException on two roots or two parents in a subsystem, a circle, or a doubled edge */
        public ResourceGraph build() {
            Problems problems = new Problems();
            ResourceGraph graph = build(problems);
            problems.throwIfAny("graph");
            return graph;
        }

        ResourceGraph build(Problems problems) {
            ResourceGraph graph = new ResourceGraph(
                    table.build(problems), table.extended(), Collections.unmodifiableMap(more), given);
            if (problems.isEmpty()) {
                given.keepUnlike(graph);
            }
            return graph;
        }
    }

    /**
     * The paths that a document gives to its vertices, by subsystem. A leaf costs a reference to its parent's path, which its
     * siblings share.
     */
    private static final class GivenPaths {
        /** The path of containment, less the vertex's own name, of vertices that have no other. */
        private @Nullable String[] above = new String[16];

        private final Map<String, String> known = new HashMap<>();
        private final Map<Integer, Map<String, String>> others = new HashMap<>();

        void add(int vertex, String name, Map<String, String> paths) {
            above = vertex < above.length ? above : Arrays.copyOf(above, Math.max(vertex + 1, above.length * 2));
            @Nullable String path = paths.size() == 1 ? paths.get(EdgeKind.CONTAINMENT) : null;
            if (path != null && path.endsWith("/" + name)) {
                String lead = path.substring(0, path.length() - name.length() - 1);
                above[vertex] = known.computeIfAbsent(lead, p -> p);
            } else {
                others.put(vertex, new LinkedHashMap<>(paths));
            }
        }

        /** Null if none were given. */
        @Nullable
        Map<String, String> of(int vertex, String name) {
            @Nullable String lead = vertex < above.length ? above[vertex] : null;
            return lead == null ? others.get(vertex) : Map.of(EdgeKind.CONTAINMENT, lead + "/" + name);
        }

        /** Forgets those that {@code graph} has by its edges. */
        void keepUnlike(ResourceGraph graph) {
            boolean any = false;
            for (int vertex = 0; vertex < graph.size(); vertex++) {
                @Nullable Map<String, String> given = of(vertex, graph.pool(vertex).name());
                if (given != null && given.equals(graph.pathsByEdges(vertex))) {
                    forget(vertex);
                } else {
                    any |= given != null;
                }
            }
            if (!any) {
                above = new String[0];
                known.clear();
            }
        }

        private void forget(int vertex) {
            above[vertex] = null;
            others.remove(vertex);
        }
    }
}
