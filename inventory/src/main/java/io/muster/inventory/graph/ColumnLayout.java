package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A graph of columns: runs of vertices of one type, such as all nodes, all racks, or gpu3 of all similar nodes. Vertices and
 * edges are computed from the columns on demand, so that a million similar nodes need no more memory than one.
 *
 * <pre>
 *   0              the cluster
 *   1 .. N         the nodes, by ascending rank
 *   then           the vertices above the nodes, and the parts of nodes, column by column
 * </pre>
 */
final class ColumnLayout implements GraphStore {
    /**
     * A run of vertices.
     *
     * @param pools returns the pool of the vertex at a position in the column
     * @param nodes for parts of nodes, which all have one pool: the node vertices that have the part, the first node the first
     *     part and so on
     */
    record Column(
            int first,
            int size,
            IntFunction<Pool> pools,
            @Nullable Idset nodes) {
        Idset vertices() {
            return Idset.range(first, first + size - 1);
        }

        /** Returns the vertices of this column that belong to {@code some} of its nodes. */
        Idset of(Idset some) {
            if (nodes == null) {
                return some;
            }
            Idset.Builder vertices = Idset.builder();
            nodes.intersect(some)
                    .forEachRange(
                            (from, to) -> vertices.addRange(first + nodes.position(from), first + nodes.position(to)));
            return vertices.build();
        }
    }

    /**
     * Edges of one kind. Every vertex of {@code children} has one parent: the first {@code fanout} children have the first of
     * {@code parents} and so on or, if there is an order, the parent that the order gives.
     *
     * @param opposite the kind of the edges in the opposite direction, if there are such edges
     */
    record Link(
            EdgeKind kind,
            @Nullable EdgeKind opposite,
            Idset parents,
            Idset children,
            int fanout,
            @Nullable Order order) {
        int parentOf(int child) {
            int position = children.position(child);
            return parents.nth(order == null ? position / fanout : order.parents[position]);
        }

        /** Returns the children of the vertices in {@code from}; the cost depends on the number of intervals, except with an order. */
        private void down(Idset from, Idset.Builder into) {
            parents.intersect(from).forEachRange((first, last) -> {
                if (order != null) {
                    for (int at = parents.position(first); at <= parents.position(last); at++) {
                        order.children.forEach(at, position -> into.add(children.nth(position)));
                    }
                    return;
                }
                long start = (long) parents.position(first) * fanout;
                long end = Math.min(children.size(), (parents.position(last) + 1L) * fanout);
                if (start < end) {
                    into.addAll(
                            children.intersect(Idset.range(children.nth((int) start), children.nth((int) end - 1))));
                }
            });
        }

        /** Returns the parents of the vertices in {@code from}, as {@link #down} returns children. */
        private void up(Idset from, Idset.Builder into) {
            Idset some = children.intersect(from);
            if (order != null) {
                some.forEach(child -> into.add(parentOf(child)));
                return;
            }
            some.forEachRange(
                    (first, last) -> into.addAll(parents.intersect(Idset.range(parentOf(first), parentOf(last)))));
        }

        /** Visits the edges from {@code parent}, which is at the position {@code at} among the parents. */
        void out(int parent, int at, EdgeConsumer edges) {
            if (order != null) {
                order.children.forEach(at, position -> edges.edge(parent, children.nth(position), kind));
                return;
            }
            int from = (int) Math.min(children.size(), (long) at * fanout);
            int to = (int) Math.min(children.size(), (long) from + fanout);
            if (children.last() - children.first() < children.size()) {
                for (int i = from; i < to; i++) {
                    edges.edge(parent, children.first() + i, kind);
                }
                return;
            }
            int child = from < to ? children.nth(from) : -1;
            for (int i = from; i < to; i++) {
                edges.edge(parent, child, kind);
                child = children.next(child);
            }
        }
    }

    /**
     * The parents of vertices that are not in the order of their parents: for each child the position of its parent. The class
     * is never compared.
     */
    static final class Order {
        private final int[] parents;
        private final TableLayout.Index children;

        Order(int[] parents, int parentCount) {
            this.parents = parents;
            this.children = new TableLayout.Index(parents, parentCount);
        }
    }

    /** Links that start at the same vertices. */
    private record Fan(Idset parents, List<Link> links) {}

    /** The links of one column: those that lead to its vertices, and those that start there. */
    private static final class Links {
        private List<Link> above = List.of();
        private List<Fan> below = List.of();
        private boolean anyOpposite;

        void addAbove(Link link) {
            above = with(above, link);
            anyOpposite |= link.opposite != null;
        }

        void addBelow(Link link) {
            anyOpposite |= link.opposite != null;
            for (Fan fan : below) {
                if (fan.parents.equals(link.parents)) {
                    fan.links.add(link);
                    return;
                }
            }
            below = with(below, new Fan(link.parents, new ArrayList<>(List.of(link))));
        }

        /** Returns the list with another element. Most lists have one element, for which no list that can grow is kept. */
        private static <T> List<T> with(List<T> list, T more) {
            List<T> longer = list.size() == 1 ? new ArrayList<>(list) : list;
            if (longer.isEmpty()) {
                return List.of(more);
            }
            longer.add(more);
            return longer;
        }

        /** Visits the links that start at the vertex, with the position of the vertex among their parents. */
        void forEachBelow(int vertex, ObjIntConsumer<Link> consumer) {
            for (Fan fan : below) {
                if (fan.parents.contains(vertex)) {
                    int at = fan.parents.position(vertex);
                    for (Link link : fan.links) {
                        consumer.accept(link, at);
                    }
                }
            }
        }
    }

    private final ResourceSet r;
    private final Idset ranks;
    private final List<Column> columns;
    private final int[] firsts;
    private final List<Links> links = new ArrayList<>();
    private final List<Link> all;
    private final SortedMap<String, Integer> roots;
    private final int size;
    /** The vertices by their kind. Two threads may both build the map, which does no harm. */
    private volatile @Nullable Map<PoolKind, Idset> kinds;

    ColumnLayout(ResourceSet r, List<Column> columns, List<Link> links, SortedMap<String, Integer> roots) {
        this.r = r;
        this.ranks = r.ranks();
        this.all = List.copyOf(links);
        this.columns = List.copyOf(columns);
        this.roots = Collections.unmodifiableSortedMap(new TreeMap<>(roots));
        Column last = columns.get(columns.size() - 1);
        this.size = last.first + last.size;
        this.firsts = columns.stream().mapToInt(Column::first).toArray();
        columns.forEach(column -> this.links.add(new Links()));
        for (Link link : links) {
            forEachColumn(link.children, columnLinks -> columnLinks.addAbove(link));
            forEachColumn(link.parents, columnLinks -> columnLinks.addBelow(link));
        }
    }

    private void forEachColumn(Idset vertices, Consumer<Links> consumer) {
        for (int at = vertices.isEmpty() ? -1 : vertices.first(); at >= 0; ) {
            int column = columnOf(at);
            consumer.accept(links.get(column));
            at = vertices.next(columns.get(column).first + columns.get(column).size - 1);
        }
    }

    private int columnOf(int vertex) {
        int found = Arrays.binarySearch(firsts, vertex);
        return found >= 0 ? found : -found - 2;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Pool pool(int vertex) {
        Column column = columns.get(columnOf(vertex));
        return column.pools.apply(vertex - column.first);
    }

    @Override
    public int rank(int vertex) {
        Column column = columns.get(columnOf(vertex));
        if (column.nodes != null) {
            return ranks.nth(column.nodes.nth(vertex - column.first) - 1);
        }
        return vertex > 0 && vertex <= ranks.size() ? ranks.nth(vertex - 1) : -1;
    }

    @Override
    public String key(int vertex) {
        return Integer.toString(vertex);
    }

    @Override
    public SortedMap<String, Integer> roots() {
        return roots;
    }

    @Override
    public void out(int vertex, EdgeConsumer edges) {
        Links own = links.get(columnOf(vertex));
        own.forEachBelow(vertex, (link, at) -> link.out(vertex, at, edges));
        for (Link link : own.anyOpposite ? own.above : List.<Link>of()) {
            if (link.opposite != null && link.children.contains(vertex)) {
                edges.edge(vertex, link.parentOf(vertex), link.opposite);
            }
        }
    }

    @Override
    public void in(int vertex, EdgeConsumer edges) {
        Links own = links.get(columnOf(vertex));
        for (Link link : own.above) {
            if (link.children.contains(vertex)) {
                edges.edge(link.parentOf(vertex), vertex, link.kind);
            }
        }
        if (own.anyOpposite) {
            own.forEachBelow(vertex, (link, at) -> {
                EdgeKind opposite = link.opposite;
                if (opposite != null) {
                    link.out(vertex, at, (parent, child, kind) -> edges.edge(child, parent, opposite));
                }
            });
        }
    }

    @Override
    public void edges(EdgeConsumer edges) {
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            Links own = links.get(i);
            if (!own.below.isEmpty() || own.anyOpposite) {
                for (int vertex = column.first; vertex < column.first + column.size; vertex++) {
                    out(vertex, edges);
                }
            }
        }
    }

    @Override
    public void edges(Idset vertices, EdgeConsumer edges) {
        EdgeConsumer some = GraphStore.within(vertices, edges);
        vertices.forEach(vertex -> out(vertex, some));
    }

    @Override
    public IntUnaryOperator ranksIn(ResourceSet other) {
        return this::rank;
    }

    @Override
    public Idset nodesOf(ResourceSet other, Idset wanted) {
        Idset.Builder nodes = Idset.builder();
        ranks.intersect(wanted)
                .forEachRange((first, last) -> nodes.addRange(1 + ranks.position(first), 1 + ranks.position(last)));
        return nodes.build();
    }

    @Override
    public Idset ranksOf(ResourceSet other, Idset nodes) {
        Idset.Builder found = Idset.builder();
        nodes.forEachRange(
                (first, last) -> found.addAll(ranks.intersect(Idset.range(ranks.nth(first - 1), ranks.nth(last - 1)))));
        return found.build();
    }

    @Override
    public Map<PoolKind, Idset> kinds() {
        Map<PoolKind, Idset> built = kinds;
        if (built == null) {
            Map<PoolKind, Idset.Builder> byKind = new LinkedHashMap<>();
            for (Column column : columns) {
                // The parts of nodes in one column have one pool.
                int step = column.nodes == null ? 1 : column.size;
                for (int i = 0; i < column.size; i += step) {
                    byKind.computeIfAbsent(column.pools.apply(i).kind(), kind -> Idset.builder())
                            .addRange(column.first + i, column.first + i + step - 1);
                }
            }
            built = GraphStore.built(byKind);
            kinds = built;
        }
        return built;
    }

    @Override
    public Idset ofPool(Predicate<Pool> test) {
        return ofPool(test, columns);
    }

    private static Idset ofPool(Predicate<Pool> test, List<Column> some) {
        Idset.Builder found = Idset.builder();
        for (Column column : some) {
            if (column.nodes != null) {
                found.addAll(test.test(column.pools.apply(0)) ? column.vertices() : Idset.EMPTY);
            } else {
                for (int i = 0; i < column.size; i++) {
                    if (test.test(column.pools.apply(i))) {
                        found.add(column.first + i);
                    }
                }
            }
        }
        return found.build();
    }

    @Override
    public Idset named(Set<String> names) {
        Idset.Builder nodes = Idset.builder();
        for (String name : names) {
            r.hosts().indexesOf(name).forEachRange((first, last) -> nodes.addRange(first + 1, last + 1));
        }
        boolean hasNodes = !ranks.isEmpty();
        List<Column> others = new ArrayList<>(columns);
        others.removeIf(column -> hasNodes && column.first == 1);
        return nodes.build().union(ofPool(pool -> names.contains(pool.name()), others));
    }

    @Override
    public Idset children(Idset vertices, String subsystem) {
        return next(vertices, subsystem, Link::down, Link::up);
    }

    @Override
    public Idset below(Idset vertices, String subsystem) {
        return reach(vertices, from -> children(from, subsystem));
    }

    @Override
    public Idset above(Idset vertices, String subsystem) {
        return reach(vertices, from -> next(from, subsystem, Link::up, Link::down));
    }

    /** A step along a link from some vertices. The step adds the vertices that it reaches. */
    private interface Step {
        void take(Link link, Idset from, Idset.Builder into);
    }

    private Idset next(Idset vertices, String subsystem, Step step, Step back) {
        Idset.Builder found = Idset.builder();
        for (Link link : all) {
            if (link.kind.subsystem().equals(subsystem)) {
                step.take(link, vertices, found);
                if (link.kind.bothWays()) {
                    back.take(link, vertices, found);
                }
            }
        }
        return found.build();
    }

    private static Idset reach(Idset vertices, UnaryOperator<Idset> step) {
        Idset found = Idset.EMPTY;
        Idset open = vertices;
        while (!open.isEmpty()) {
            open = step.apply(open).subtract(found);
            found = found.union(open);
        }
        return found;
    }

    @Override
    public Idset tops(String subsystem) {
        Idset tops = in(subsystem);
        for (Link link : all) {
            tops = link.kind.subsystem().equals(subsystem) ? tops.subtract(link.children) : tops;
        }
        int root = roots.getOrDefault(subsystem, -1);
        return root < 0 ? Idset.EMPTY : tops.with(root);
    }

    @Override
    public Idset in(String subsystem) {
        int root = roots.getOrDefault(subsystem, -1);
        Idset.Builder members = Idset.builder();
        members.addAll(root < 0 ? Idset.EMPTY : Idset.of(root));
        for (Link link : all) {
            if (link.kind.subsystem().equals(subsystem)) {
                members.addAll(link.children);
                link.up(link.children, members);
            }
        }
        return members.build();
    }
}
