package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;

/**
 * Stores the vertices and edges of a graph, either in a table ({@link TableLayout}) or by computing them from columns
 * ({@link ColumnLayout}).
 *
 * <p>The default methods that return sets of vertices scan the graph. A store that can compute the sets faster overrides them.
 */
interface GraphStore {
    int size();

    Pool pool(int vertex);

    /** Returns the execution target that the vertex is or belongs to, or -1. */
    int rank(int vertex);

    /** Returns the id of the vertex in JGF. */
    String key(int vertex);

    /** Returns, for each subsystem, the lowest vertex without a parent. */
    SortedMap<String, Integer> roots();

    void out(int vertex, EdgeConsumer edges);

    void in(int vertex, EdgeConsumer edges);

    /** Visits every edge in the order given. */
    void edges(EdgeConsumer edges);

    /** Visits every edge between two of {@code vertices} in the order given. */
    default void edges(Idset vertices, EdgeConsumer edges) {
        edges(within(vertices, edges));
    }

    static EdgeConsumer within(Idset vertices, EdgeConsumer edges) {
        return (source, target, kind) -> {
            if (vertices.contains(target) && vertices.contains(source)) {
                edges.edge(source, target, kind);
            }
        };
    }

    /** Returns a function from a vertex of type node to the rank in {@code r} that it stands for, or -1. */
    IntUnaryOperator ranksIn(ResourceSet r);

    /** Returns the vertices of type node that stand for {@code ranks} of {@code r}. */
    Idset nodesOf(ResourceSet r, Idset ranks);

    /** Returns the ranks of {@code r} for which {@code nodes}, which are vertices of type node, stand. */
    default Idset ranksOf(ResourceSet r, Idset nodes) {
        IntUnaryOperator rankOf = ranksIn(r);
        Idset.Builder ranks = Idset.builder();
        nodes.forEach(v -> {
            int rank = rankOf.applyAsInt(v);
            if (rank >= 0) {
                ranks.add(rank);
            }
        });
        return ranks.build();
    }

    /**
     * Returns a store in which each node has the properties that {@code r} gives the node. A store that was made from {@code r}
     * has them.
     */
    default GraphStore withProperties(ResourceSet r) {
        return this;
    }

    default Idset all() {
        return size() == 0 ? Idset.EMPTY : Idset.range(0, size() - 1);
    }

    default Idset where(Idset candidates, IntPredicate test) {
        Idset.Builder found = Idset.builder();
        candidates.forEach(v -> {
            if (test.test(v)) {
                found.add(v);
            }
        });
        return found.build();
    }

    default Idset ofKind(Predicate<PoolKind> test) {
        Idset.Builder found = Idset.builder();
        kinds().forEach((kind, vertices) -> found.addAll(test.test(kind) ? vertices : Idset.EMPTY));
        return found.build();
    }

    /** Returns the vertices of each kind. */
    default Map<PoolKind, Idset> kinds() {
        Map<PoolKind, Idset.Builder> byKind = new LinkedHashMap<>();
        all().forEach(v ->
                byKind.computeIfAbsent(pool(v).kind(), k -> Idset.builder()).add(v));
        return built(byKind);
    }

    static <K> Map<K, Idset> built(Map<K, Idset.Builder> vertices) {
        Map<K, Idset> sets = new LinkedHashMap<>();
        vertices.forEach((key, some) -> sets.put(key, some.build()));
        return sets;
    }

    default Idset ofPool(Predicate<Pool> test) {
        return where(all(), v -> test.test(pool(v)));
    }

    default Idset named(Set<String> names) {
        return ofPool(pool -> names.contains(pool.name()));
    }

    /** Visits the vertices below {@code vertex}, along every edge of the subsystem that does not point back up. */
    default void forEachChild(int vertex, String subsystem, IntConsumer children) {
        out(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                children.accept(target);
            }
        });
        in(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && kind.bothWays()) {
                children.accept(source);
            }
        });
    }

    /** Visits the vertices of which {@code vertex} is a child, as {@link #forEachChild} visits its children. */
    default void forEachParent(int vertex, String subsystem, IntConsumer parents) {
        in(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                parents.accept(source);
            }
        });
        out(vertex, (source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && kind.bothWays()) {
                parents.accept(target);
            }
        });
    }

    default Idset children(Idset vertices, String subsystem) {
        BitSet found = new BitSet(size());
        vertices.forEach(v -> forEachChild(v, subsystem, found::set));
        return ids(found);
    }

    default Idset below(Idset vertices, String subsystem) {
        return reach(vertices, (v, next) -> forEachChild(v, subsystem, next));
    }

    default Idset above(Idset vertices, String subsystem) {
        return reach(vertices, (v, next) -> forEachParent(v, subsystem, next));
    }

    /** Visits the vertices to which one step leads. */
    interface Step {
        void from(int vertex, IntConsumer next);
    }

    /** Returns every vertex to which one step or more lead. */
    private Idset reach(Idset vertices, Step step) {
        BitSet found = new BitSet(size());
        int[] open = new int[size()];
        int[] count = {0};
        IntConsumer add = v -> {
            if (!found.get(v)) {
                found.set(v);
                open[count[0]++] = v;
            }
        };
        vertices.forEach(v -> step.from(v, add));
        for (int i = 0; i < count[0]; i++) {
            step.from(open[i], add);
        }
        return ids(found);
    }

    default Idset in(String subsystem) {
        BitSet found = new BitSet(size());
        int root = roots().getOrDefault(subsystem, -1);
        if (root >= 0) {
            found.set(root);
        }
        edges((source, target, kind) -> {
            if (kind.subsystem().equals(subsystem)) {
                found.set(source);
                found.set(target);
            }
        });
        return ids(found);
    }

    /**
     * Returns the root and the vertices of a subsystem to which no edge leads down. The paths in the subsystem begin at these
     * vertices.
     */
    default Idset tops(String subsystem) {
        BitSet targets = new BitSet(size());
        edges((source, target, kind) -> {
            if (kind.subsystem().equals(subsystem) && !kind.isOpposite()) {
                targets.set(target);
            }
        });
        int root = roots().getOrDefault(subsystem, -1);
        return root < 0 ? Idset.EMPTY : in(subsystem).subtract(ids(targets)).with(root);
    }

    static Idset ids(BitSet bits) {
        Idset.Builder ids = Idset.builder();
        for (int from = bits.nextSetBit(0); from >= 0; from = bits.nextSetBit(bits.nextClearBit(from))) {
            ids.addRange(from, bits.nextClearBit(from) - 1);
        }
        return ids.build();
    }
}
