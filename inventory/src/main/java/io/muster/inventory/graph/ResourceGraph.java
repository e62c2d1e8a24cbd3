package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TreePool;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
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
    /** The number of vertices up to which looking at each of their names is faster than looking for a name. */
    private static final int FEW = 4096;

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

    /** Returns a graph of the hosts of {@code r} and of entries or a topology; see {@link Structure}. */
    static ResourceGraph of(ResourceSet r, List<GraphEntry> entries, List<TreePool.Entry> topology, Detail detail) {
        GraphStore columns = new ColumnBuilder(r, detail, entries, topology).build();
        return new ResourceGraph(columns, IdMap.empty(), Map.of(), new GivenPaths());
    }

    /** Returns a graph in subsystem containment: the cluster, its nodes, and their children in the given detail. */
    public static ResourceGraph of(ResourceSet r, Detail detail) {
        return of(r, List.of(), List.of(), detail);
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
        layout.forEachChild(vertex, subsystem, children);
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
        for (int steps = 0; at >= 0 && steps < Paths.MOST_LEVELS; steps++) {
            names.addFirst(pool(at).name());
            at = at == root ? -1 : parent(at, subsystem);
        }
        return "/" + String.join("/", names);
    }

    /** Returns the path in a subsystem, whose name stands before the path unless it is containment. */
    public String address(int vertex, String subsystem) {
        String path = path(vertex, subsystem);
        return subsystem.equals(EdgeKind.CONTAINMENT) ? path : subsystem + ":" + path;
    }

    /** Returns the address of a vertex in containment or, if the vertex is not there, in the first subsystem in which it is. */
    public String address(int vertex) {
        String home = isIn(vertex, EdgeKind.CONTAINMENT)
                ? EdgeKind.CONTAINMENT
                : subsystems().stream().filter(s -> isIn(vertex, s)).findFirst().orElse(EdgeKind.CONTAINMENT);
        return address(vertex, home);
    }

    /**
     * Returns the vertex's path in each of its subsystems: the paths of the document that it was read from, or else the paths
     * along its edges.
     */
    Map<String, String> paths(int vertex) {
        @Nullable Map<String, String> givenPaths = given.of(vertex, pool(vertex).name());
        return givenPaths == null ? pathsByEdges(vertex) : givenPaths;
    }

    /**
     * Returns the path in containment by which readers of the document know the vertex, which may differ from the path along the edges;
     * "" if it has none.
     */
    public String givenPath(int vertex) {
        return paths(vertex).getOrDefault(EdgeKind.CONTAINMENT, "");
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

    /** Returns whether the vertex is the root of the subsystem or has an edge in it. A vertex without edges is in containment. */
    public boolean isIn(int vertex, String subsystem) {
        boolean[] found = {root(subsystem) == vertex};
        boolean[] edges = {false};
        EdgeConsumer look = (source, target, kind) -> {
            found[0] |= kind.subsystem().equals(subsystem);
            edges[0] = true;
        };
        layout.out(vertex, look);
        layout.in(vertex, look);
        return found[0] || (!edges[0] && subsystem.equals(EdgeKind.CONTAINMENT));
    }

    /** Visits every edge in the order given. */
    public void forEachEdge(EdgeConsumer edges) {
        layout.edges(edges);
    }

    /** Visits every edge between two of {@code vertices} in the order given. */
    void forEachEdge(Idset vertices, EdgeConsumer edges) {
        if (vertices.size() == size()) {
            layout.edges(edges);
        } else {
            layout.edges(vertices, edges);
        }
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

    /** Returns the ranks of {@code r} for which {@code nodes}, which are vertices of type node, stand. */
    public Idset ranksOf(ResourceSet r, Idset nodes) {
        return layout.ranksOf(r, nodes);
    }

    public Idset all() {
        return layout.all();
    }

    /** Returns the vertices of {@code candidates} for which the test is true. */
    public Idset where(Idset candidates, IntPredicate test) {
        return layout.where(candidates, test);
    }

    /** Returns the vertices whose kind satisfies the test, which is called once for each distinct kind. */
    public Idset ofKind(Predicate<PoolKind> test) {
        return layout.ofKind(test);
    }

    /** Returns the vertices of each kind. */
    public Map<PoolKind, Idset> kinds() {
        return layout.kinds();
    }

    /** Returns the vertices whose pool satisfies the test, which is called once for pools that several vertices share. */
    public Idset ofPool(Predicate<Pool> test) {
        return layout.ofPool(test);
    }

    public Idset named(Set<String> names) {
        return layout.named(names);
    }

    /**
     * Returns the vertices that have a property, by its value, which is "" if the property has none. The property {@code
     * name=value}, as R has it, is a property with a value.
     */
    public Map<String, Idset> property(String name) {
        Map<String, Idset.Builder> byValue = new HashMap<>();
        kinds().forEach((kind, vertices) ->
                kind.properties().forEach((key, value) -> addProperty(name, key, value, vertices, byValue)));
        return GraphStore.built(byValue);
    }

    private static void addProperty(
            String name, String key, String value, Idset vertices, Map<String, Idset.Builder> byValue) {
        boolean hasValue = key.startsWith(name + "=");
        if (hasValue || key.equals(name)) {
            byValue.computeIfAbsent(hasValue ? key.substring(name.length() + 1) : value, v -> Idset.builder())
                    .addAll(vertices);
        }
    }

    /** Returns the vertices that have extended data that satisfies the test. */
    public Idset withData(Predicate<Extended> test) {
        Idset.Builder found = Idset.builder();
        extended.forEach((first, last, data) -> {
            if (test.test(data)) {
                found.addRange(first, last);
            }
        });
        return found.build();
    }

    /** Returns the vertices that have a state or a condition, by the first word that users are shown. */
    Map<String, Idset> words() {
        Map<String, Idset.Builder> words = new HashMap<>();
        extended.forEach((first, last, data) -> {
            String word = data.word();
            if (word != null) {
                words.computeIfAbsent(word, w -> Idset.builder()).addRange(first, last);
            }
        });
        return GraphStore.built(words);
    }

    /** Returns the children of all {@code vertices} in a subsystem. */
    public Idset children(Idset vertices, String subsystem) {
        return layout.children(vertices, subsystem);
    }

    /** Returns the children of all {@code vertices} in a subsystem that have this name. */
    public Idset children(Idset vertices, String subsystem, String name) {
        Idset children = children(vertices, subsystem);
        return children.size() < FEW
                ? where(children, v -> pool(v).name().equals(name))
                : children.intersect(named(Set.of(name)));
    }

    /**
     * Returns the root, and the vertices without {@link #parent}, of which a subsystem that is no hierarchy may have several: the
     * vertices with which {@link #path} begins.
     */
    public Idset tops(String subsystem) {
        return layout.tops(subsystem);
    }

    /** Returns all descendants of {@code vertices}. One of {@code vertices} is in the set only if it is below another one. */
    public Idset below(Idset vertices, String subsystem) {
        return layout.below(vertices, subsystem);
    }

    /** Returns all ancestors of {@code vertices}. One of {@code vertices} is in the set only if it is above another one. */
    public Idset above(Idset vertices, String subsystem) {
        return layout.above(vertices, subsystem);
    }

    /** Returns the vertices that {@link #isIn} the subsystem. */
    public Idset in(String subsystem) {
        return layout.in(subsystem);
    }

    public Extended extended(int vertex) {
        return Extended.orNone(extended.get(vertex));
    }

    /** Returns the vertices with a state in which nothing may be placed on them. */
    public Idset unusable() {
        return withData(data -> !data.isUsable());
    }

    /** Sets a tag on {@code vertices}, as {@code Tag(K, [V])} of RFC 4 does. */
    public ResourceGraph tag(Idset vertices, String key, String value) {
        return extend(vertices, e -> e.withTag(key, value));
    }

    public ResourceGraph state(Idset vertices, @Nullable String state) {
        return extend(vertices, e -> e.withState(state));
    }

    public ResourceGraph scheduler(Idset vertices, String key, JsonNode value) {
        return extend(vertices, e -> e.withScheduler(key, value));
    }

    /** Returns this graph with other extended data on {@code vertices}. */
    public ResourceGraph extend(Idset vertices, UnaryOperator<Extended> change) {
        if (!vertices.isEmpty() && vertices.last() >= size()) {
            throw new IndexOutOfBoundsException("vertex " + vertices.last() + " of " + size());
        }
        IdMap<Extended> changed = extended.update(vertices, e -> change.apply(Extended.orNone(e)));
        return new ResourceGraph(layout, changed, more, given);
    }

    /** Returns this graph with the properties that {@code r} gives the nodes. */
    public ResourceGraph withProperties(ResourceSet r) {
        return new ResourceGraph(layout.withProperties(r), extended, more, given);
    }

    /**
     * Returns {@code vertices} and all vertices above them in every subsystem, which is the smallest graph that contains
     * {@code vertices}.
     */
    public Idset closure(Idset vertices) {
        Idset closed = vertices;
        Idset added = vertices;
        while (!added.isEmpty()) {
            Idset above = Idset.EMPTY;
            for (String subsystem : subsystems()) {
                above = above.union(layout.above(added, subsystem));
            }
            added = above.subtract(closed);
            closed = closed.union(added);
        }
        return closed;
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
}
