package io.muster.inventory.graph;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.jgf.VertexIds;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Collects the vertices and edges of a graph in parallel arrays. Equal pools and edge kinds are stored once, so that a
 * vertex or edge of a large machine costs a few ints and not a tree of objects.
 */
final class TableBuilder {
    /**
     * The highest number of levels in a graph. Real machines have ten, and code that walks a graph may recurse as deep as
     * this limit.
     */
    static final int MAX_DEPTH = 100;

    private final List<Pool> pools = new ArrayList<>();
    private final Map<Pool, Pool> knownPools = new HashMap<>();
    private final Map<EdgeKind, Integer> knownKinds = new HashMap<>();
    private final List<EdgeKind> kinds = new ArrayList<>();
    private final VertexIds keys = new VertexIds();
    private final Map<Integer, Extended> extended = new TreeMap<>();
    private int[] ranks = new int[16];
    private int[] sources = new int[16];
    private int[] targets = new int[16];
    private int[] kindOf = new int[16];
    private int edges;

    int vertex(String key, Pool pool, int rank) {
        int vertex = pools.size();
        if (!keys.add(key, vertex)) {
            return -1;
        }
        Pool known = knownPools.putIfAbsent(pool, pool);
        pools.add(known == null ? pool : known);
        ranks = grown(ranks, vertex);
        ranks[vertex] = rank;
        return vertex;
    }

    int find(String key) {
        return keys.find(key);
    }

    void edge(int source, int target, EdgeKind kind) {
        sources = grown(sources, edges);
        targets = grown(targets, edges);
        kindOf = grown(kindOf, edges);
        sources[edges] = checked(source);
        targets[edges] = checked(target);
        Integer known = knownKinds.putIfAbsent(kind, kinds.size());
        if (known == null) {
            kinds.add(kind);
        }
        kindOf[edges++] = known == null ? kinds.size() - 1 : known;
    }

    private int checked(int vertex) {
        if (vertex < 0 || vertex >= pools.size()) {
            throw new IndexOutOfBoundsException("vertex " + vertex + " of " + pools.size());
        }
        return vertex;
    }

    private static int[] grown(int[] array, int index) {
        return index < array.length ? array : Arrays.copyOf(array, array.length * 2);
    }

    void extended(int vertex, Extended data) {
        extended.put(checked(vertex), data);
    }

    IdMap<Extended> extended() {
        IdMap<Extended> map = IdMap.empty();
        for (Map.Entry<Integer, Extended> e : extended.entrySet()) {
            map = map.put(Idset.of(e.getKey()), e.getValue());
        }
        return map;
    }

    GraphStore build(Problems problems) {
        SortedMap<String, Integer> roots = new TreeMap<>();
        refuseDoubledEdges(problems);
        for (EdgeKind kind : kinds) {
            if (!roots.containsKey(kind.subsystem())) {
                root(kind.subsystem(), roots, problems);
            }
        }
        if (!roots.containsKey(EdgeKind.CONTAINMENT)) {
            firstWithoutEdges().ifPresent(v -> roots.put(EdgeKind.CONTAINMENT, v));
        }
        return new TableLayout(
                new TableLayout.Vertices(List.copyOf(pools), Arrays.copyOf(ranks, pools.size()), keys),
                new TableLayout.Edges(
                        Arrays.copyOf(sources, edges), Arrays.copyOf(targets, edges), kindOf, List.copyOf(kinds)),
                roots);
    }

    private OptionalInt firstWithoutEdges() {
        BitSet ends = new BitSet();
        for (int e = 0; e < edges; e++) {
            ends.set(sources[e]);
            ends.set(targets[e]);
        }
        int first = ends.nextClearBit(0);
        return first < pools.size() ? OptionalInt.of(first) : OptionalInt.empty();
    }

    /**
     * Finds edges that are given twice by sorting the ends of all edges, because a set of millions of edges would need more
     * memory than the graph.
     */
    private void refuseDoubledEdges(Problems problems) {
        long[] ends = new long[edges];
        for (int e = 0; e < edges; e++) {
            ends[e] = (long) sources[e] << Integer.SIZE | targets[e];
        }
        Arrays.sort(ends);
        Set<Long> repeated = new HashSet<>();
        for (int e = 1; e < edges; e++) {
            if (ends[e] == ends[e - 1]) {
                repeated.add(ends[e]);
            }
        }
        Set<List<Long>> seen = new HashSet<>();
        for (int e = 0; e < edges && !repeated.isEmpty(); e++) {
            long end = (long) sources[e] << Integer.SIZE | targets[e];
            if (repeated.contains(end) && !seen.add(List.of(end, (long) kindOf[e]))) {
                String name = keys.key(sources[e]) + " -> " + keys.key(targets[e]);
                problems.add("/graph/edges/" + e, "the edge " + name + " is given twice");
            }
        }
    }

    /**
     * Finds the root of a subsystem. In a composite hierarchy a vertex has at most one parent and exactly one vertex has none;
     * in other subsystems, paths may meet.
     */
    private void root(String subsystem, SortedMap<String, Integer> roots, Problems problems) {
        int[] parents = new int[pools.size()];
        boolean[] member = new boolean[pools.size()];
        boolean composite = true;
        for (int e = 0; e < edges; e++) {
            EdgeKind kind = kinds.get(kindOf[e]);
            if (kind.subsystem().equals(subsystem)) {
                member[sources[e]] = true;
                member[targets[e]] = true;
                parents[targets[e]] += kind.isOpposite() ? 0 : 1;
                composite &= kind.isOpposite() || kind.isContains();
            }
        }
        @Nullable Integer root = null;
        for (int v = 0; v < parents.length; v++) {
            if (member[v] && parents[v] == 0) {
                if (root != null && composite) {
                    problems.add("", subsystem + " has two roots, " + name(root) + " and " + name(v));
                }
                root = root == null ? v : root;
            } else if (parents[v] > 1 && composite) {
                problems.add("", "vertex " + name(v) + " has two parents in " + subsystem);
            }
        }
        if (root == null && composite) {
            problems.add("", subsystem + " has no root: its edges run in a circle");
        }
        int start = root == null ? firstMember(member) : root;
        roots.put(subsystem, start);
        if (composite && root != null && problems.isEmpty()) {
            refuseCirclesAndDepth(subsystem, start, member, problems);
        }
    }

    /**
     * Refuses circles and excessive depth. There is one root and every other vertex has one parent, so a vertex that is not
     * below the root is on a circle or below one.
     */
    private void refuseCirclesAndDepth(String subsystem, int root, boolean[] member, Problems problems) {
        int[] parent = new int[pools.size()];
        Arrays.fill(parent, -1);
        for (int e = 0; e < edges; e++) {
            EdgeKind kind = kinds.get(kindOf[e]);
            if (kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                parent[targets[e]] = sources[e];
            }
        }
        int[] depth = new int[pools.size()];
        depth[root] = 1;
        for (int v = 0; v < member.length; v++) {
            if (member[v] && !measure(v, parent, depth)) {
                boolean circle = depth[v] == 0;
                problems.add(
                        "",
                        subsystem
                                + (circle ? " runs in a circle at " : " is deeper than " + MAX_DEPTH + " levels at ")
                                + name(v));
                return;
            }
        }
    }

    /**
     * Sets the depth of {@code v} and of the vertices above it. Returns false if {@code v} is too deep, or if no root is above
     * it, in which case its depth stays 0.
     */
    private static boolean measure(int v, int[] parent, int[] depth) {
        int steps = 0;
        int at = v;
        while (at >= 0 && depth[at] == 0 && steps <= depth.length) {
            at = parent[at];
            steps++;
        }
        if (at < 0 || depth[at] == 0) {
            return false;
        }
        int deep = depth[at] + steps;
        int known = at;
        for (at = v; at != known; at = parent[at]) {
            depth[at] = deep--;
        }
        return depth[v] <= MAX_DEPTH;
    }

    private static int firstMember(boolean[] member) {
        int v = 0;
        while (!member[v]) {
            v++;
        }
        return v;
    }

    private String name(int vertex) {
        return "\"" + keys.key(vertex) + "\" (" + pools.get(vertex).name() + ")";
    }
}
