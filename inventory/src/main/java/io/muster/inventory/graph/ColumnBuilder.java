package io.muster.inventory.graph;

import io.muster.inventory.graph.ColumnLayout.Column;
import io.muster.inventory.graph.ColumnLayout.Link;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.Topo;
import io.muster.inventory.rset.TreePool;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes the columns of the graph of an R, and of the {@code [[graph]]} entries of the configuration or the topology within nodes
 * (RFC 49).
 */
final class ColumnBuilder {
    private static final EdgeKind CONTAINS = EdgeKind.contains();
    private static final int MAX_NAME_DIGITS = 9;
    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final String PREFIXES = "KMGTPE";

    private final ResourceSet r;
    private final Detail detail;
    private final GraphPlan plan;
    private final List<GraphEntry> entries;
    private final List<TreePool.Entry> topology;
    private final List<Column> columns = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private final SortedMap<String, Integer> roots = new TreeMap<>();
    private final Map<GraphEntry, List<Column>> made = new HashMap<>();
    private final Map<String, IdMap<List<Column>>> holders = new TreeMap<>();
    private final Idset nodes;

    ColumnBuilder(ResourceSet r, Detail detail, List<GraphEntry> entries, List<TreePool.Entry> topology) {
        Problems problems = new Problems();
        this.r = r;
        this.detail = detail;
        this.entries = entries;
        this.topology = topology;
        this.plan = GraphPlan.of(entries, problems);
        problems.throwIfAny("graph");
        this.nodes = r.nodes() == 0 ? Idset.EMPTY : Idset.range(1, r.nodes());
    }

    ColumnLayout build() {
        Pool cluster = entries.stream()
                .filter(GraphPlan::isCluster)
                .findFirst()
                .map(e -> named(e).apply(0))
                .orElseGet(() -> Pool.of(PoolKind.of(GraphPlan.CLUSTER, 1), 0));
        add(1, position -> cluster, null);
        roots.put(EdgeKind.CONTAINMENT, 0);
        Idset ranks = r.ranks();
        if (!nodes.isEmpty()) {
            add(nodes.size(), position -> node(ranks.nth(position)), null);
        }
        plan.order(false).forEach(this::above);
        Idset placed = hold();
        link(CONTAINS, false, Idset.of(0), nodes.subtract(placed));
        if (detail != Detail.NODES) {
            plan.order(true).forEach(this::inside);
            r.groups().forEach(this::parts);
        }
        return new ColumnLayout(r, columns, links, roots);
    }

    private Column add(int size, IntFunction<Pool> pools, @Nullable Idset having) {
        Column last = columns.isEmpty() ? null : columns.get(columns.size() - 1);
        long first = last == null ? 0 : (long) last.first() + last.size();
        if (first + size > Idset.MAX_ID) {
            throw new IllegalArgumentException("more vertices than a graph can number; ask for less detail");
        }
        Column column = new Column((int) first, size, pools, having);
        columns.add(column);
        return column;
    }

    private void link(EdgeKind kind, boolean opposite, Idset parents, Idset children) {
        link(kind, opposite, parents, children, Math.max(1, children.size()), null);
    }

    private void link(
            EdgeKind kind,
            boolean opposite,
            Idset parents,
            Idset children,
            int fanout,
            ColumnLayout.@Nullable Order order) {
        if (!children.isEmpty()) {
            @Nullable EdgeKind back = opposite ? EdgeKind.of(kind.subsystem(), EdgeKind.IN) : null;
            links.add(new Link(kind, back, parents, children, fanout, order));
        }
    }

    /**
     * Returns the pool of a node or of another vertex that has a name. A name that ends in a number without leading zeros is
     * split into basename and id; any other name is a basename.
     */
    private static Pool named(PoolKind kind, String name) {
        int digits = name.length();
        while (digits > 0 && name.charAt(digits - 1) >= '0' && name.charAt(digits - 1) <= '9') {
            digits--;
        }
        String number = name.substring(digits);
        boolean plain = digits > 0
                && !number.isEmpty()
                && number.length() <= MAX_NAME_DIGITS
                && (number.length() == 1 || number.charAt(0) != '0');
        String basename = plain ? name.substring(0, digits) : name;
        PoolKind own = basename.equals(kind.basename())
                ? kind
                : new PoolKind(kind.type(), basename, kind.size(), kind.unit(), kind.properties());
        return new Pool(own, plain ? Long.parseLong(number) : Pool.NO_ID, name, Map.of());
    }

    private Pool node(int rank) {
        SortedMap<String, String> properties = new TreeMap<>();
        r.properties().forEach((name, having) -> {
            if (having.contains(rank)) {
                properties.put(name, "");
            }
        });
        return named(new PoolKind(GraphPlan.NODE, GraphPlan.NODE, 1, "", properties), r.hostOf(rank));
    }

    /** Returns the pools of an entry by the position of the vertex. Counted vertices are numbered in each vertex above. */
    private static IntFunction<Pool> named(GraphEntry entry) {
        Hostlist names = entry.naming().names();
        int count = entry.naming().count();
        return names.isEmpty()
                ? position -> Pool.of(entry.kind(), position % count)
                : position -> named(entry.kind(), names.nth(position));
    }

    /** Adds the vertices of an entry above the nodes, below the vertices that its key {@code in} names. */
    private void above(GraphEntry entry) {
        Column column = add(plan.total(entry), named(entry), null);
        made.put(entry, List.of(column));
        Idset parents = vertices(plan.parents(entry));
        if (!parents.isEmpty()) {
            link(
                    entry.relation(),
                    entry.opposite(),
                    parents,
                    column.vertices(),
                    share(column.size(), parents.size()),
                    null);
        }
    }

    private Idset vertices(List<GraphEntry> some) {
        Idset.Builder vertices = Idset.builder();
        some.forEach(e -> made.getOrDefault(e, List.of()).forEach(c -> vertices.addAll(c.vertices())));
        return vertices.build();
    }

    /** Returns how many of {@code all} each of {@code parts} gets if they are divided evenly. */
    private static int share(int all, int parts) {
        return Math.max(1, (int) (((long) all + parts - 1) / Math.max(1, parts)));
    }

    /** Links the entries above the nodes to the roots and to the vertices that they hold. Returns the nodes that an entry contains. */
    private Idset hold() {
        Idset placed = Idset.EMPTY;
        Map<String, List<GraphEntry>> outermost = new TreeMap<>();
        for (GraphEntry entry : plan.order(false)) {
            if (plan.isOutermost(entry)) {
                outermost
                        .computeIfAbsent(entry.relation().subsystem(), s -> new ArrayList<>())
                        .add(entry);
            }
        }
        outermost.forEach((subsystem, tops) -> {
            Idset vertices = vertices(tops);
            boolean one = vertices.size() == 1 && !subsystem.equals(EdgeKind.CONTAINMENT);
            int root = one ? vertices.first() : root(subsystem);
            roots.put(subsystem, root);
            if (!one) {
                GraphEntry first = tops.get(0);
                link(first.relation(), first.opposite(), Idset.of(root), vertices);
            }
        });
        for (GraphEntry entry : plan.order(false)) {
            Idset own = vertices(List.of(entry));
            int each = entry.position().each();
            for (String type : entry.position().holds()) {
                Idset held = vertices(plan.held(entry, type));
                link(
                        entry.relation(),
                        entry.opposite(),
                        own,
                        held,
                        each > 0 ? each : share(held.size(), own.size()),
                        null);
            }
            Idset hosts = holdHosts(entry, own);
            placed = GraphPlan.isContainment(entry) ? placed.union(hosts) : placed;
        }
        return placed;
    }

    private int root(String subsystem) {
        Pool root = Pool.of(PoolKind.of(subsystem, 1), 0);
        return subsystem.equals(EdgeKind.CONTAINMENT)
                ? 0
                : add(1, position -> root, null).first();
    }

    /**
     * Links an entry to its nodes. The place of a node depends on its position among the entry's hosts and not on its rank, so
     * that the place stays the same if R changes.
     */
    private Idset holdHosts(GraphEntry entry, Idset own) {
        Hostlist hosts = entry.position().hosts();
        int each = entry.position().each() > 0 ? entry.position().each() : share(hosts.size(), own.size());
        int[] parentOf = new int[hosts.isEmpty() ? 0 : nodes.size()];
        Idset.Builder found = Idset.builder();
        r.hosts().forEachPair(hosts, (index, place, count) -> {
            found.addRange(1 + index, index + count);
            for (int i = 0; i < count; i++) {
                parentOf[index + i] = (place + i) / each;
            }
        });
        Idset children = found.build();
        int[] order = children.stream().map(node -> parentOf[node - 1]).toArray();
        boolean regular = true;
        for (int i = 0; i < order.length && regular; i++) {
            regular = order[i] == i / each;
        }
        link(
                entry.relation(),
                entry.opposite(),
                own,
                children,
                each,
                regular ? null : new ColumnLayout.Order(order, own.size()));
        return children;
    }

    /** Adds a column for each part of the nodes that an entry describes. */
    private void inside(GraphEntry entry) {
        Hostlist hosts = entry.position().hosts();
        Idset having = nodes;
        if (!hosts.isEmpty()) {
            Idset.Builder some = Idset.builder();
            r.hosts().indexesOf(hosts).forEachRange((from, to) -> some.addRange(from + 1, to + 1));
            having = some.build();
        }
        IntFunction<Pool> pools = named(entry);
        List<Column> own = new ArrayList<>();
        if (entry.position().in().equals(GraphPlan.NODE)) {
            column(entry, pools, 0, plan.total(entry), having, nodes(), own);
        }
        List<Column> parents = new ArrayList<>();
        plan.parents(entry).forEach(p -> parents.addAll(made.getOrDefault(p, List.of())));
        int each = entry.naming().names().isEmpty() ? entry.naming().count() : share(plan.total(entry), parents.size());
        for (int i = 0; i < parents.size(); i++) {
            int end = Math.min(plan.total(entry), (i + 1) * each);
            column(entry, pools, i * each, end, having, parents.get(i), own);
        }
        made.put(entry, own);
        for (String type : entry.position().holds()) {
            IdMap<List<Column>> held = holders.getOrDefault(type, IdMap.empty());
            for (Column column : own) {
                held = held.update(column.nodes() == null ? Idset.EMPTY : column.nodes(), before -> {
                    List<Column> all = new ArrayList<>(before == null ? List.of() : before);
                    all.add(column);
                    return all;
                });
            }
            holders.put(type, held);
        }
    }

    /** Returns the column of the nodes as a parent of parts: each node belongs to itself. */
    private Column nodes() {
        return new Column(1, nodes.size(), position -> node(position), nodes);
    }

    private void column(
            GraphEntry entry,
            IntFunction<Pool> pools,
            int from,
            int to,
            Idset having,
            Column parent,
            List<Column> own) {
        Idset both = parent.nodes() == null ? having : having.intersect(parent.nodes());
        for (int i = from; i < to && !both.isEmpty(); i++) {
            Pool pool = pools.apply(i);
            Column column = add(both.size(), position -> pool, both);
            link(entry.relation(), entry.opposite(), parent.of(both), column.vertices(), 1, null);
            own.add(column);
        }
    }

    /** Adds the resources that R gives to similar nodes, in the parts that hold them or in the nodes themselves. */
    private void parts(Group group) {
        Idset plain = group.ranks();
        for (TreePool.Entry entry : topology) {
            Idset some = nodes(group.ranks().intersect(entry.ranks()));
            plain = plain.subtract(entry.ranks());
            if (!some.isEmpty()) {
                Idset cores = group.children().getOrDefault("core", Idset.EMPTY);
                Idset gpus = group.children().getOrDefault("gpu", Idset.EMPTY);
                domain(entry.topo().of(cores, gpus), some, nodes(), new HashMap<>());
                group.children()
                        .forEach((type, ids) -> units(
                                type, type.equals("core") || type.equals("gpu") ? Idset.EMPTY : ids, some, nodes()));
            }
        }
        Idset having = nodes(plain);
        group.children().forEach((type, ids) -> {
            Map<List<Column>, Idset.Builder> places = new LinkedHashMap<>();
            holders.getOrDefault(type, IdMap.empty())
                    .forEachIn(
                            having,
                            (from, to, in) -> places.computeIfAbsent(in, k -> Idset.builder())
                                    .addRange(from, to));
            Idset remaining = having;
            for (Map.Entry<List<Column>, Idset.Builder> place : places.entrySet()) {
                Idset some = place.getValue().build();
                remaining = remaining.subtract(some);
                distribute(type, ids, some, place.getKey());
            }
            units(type, ids, remaining, nodes());
        });
    }

    private Idset nodes(Idset some) {
        Idset.Builder vertices = Idset.builder();
        Idset ranks = r.ranks();
        some.forEachRange((from, to) -> vertices.addRange(1 + ranks.position(from), 1 + ranks.position(to)));
        return vertices.build();
    }

    /** Adds the parts of a domain of a topology. Domains of one type are numbered within the node. */
    private void domain(Topo topo, Idset having, Column parent, Map<String, Integer> numbers) {
        units("core", topo.cores(), having, parent);
        units("gpu", topo.gpus(), having, parent);
        if (topo.memory() > 0) {
            numbered(new PoolKind("memory", "memory", topo.memory(), "GiB", new TreeMap<>()), having, parent, numbers);
        }
        for (Topo.Storage storage : topo.storage()) {
            numbered(kind(storage), having, parent, numbers);
        }
        for (Topo inner : topo.inner()) {
            domain(inner, having, numbered(PoolKind.of(inner.type(), 1), having, parent, numbers), numbers);
        }
    }

    /** Adds a part with the next free number of its type on the node. */
    private Column numbered(PoolKind kind, Idset having, Column parent, Map<String, Integer> numbers) {
        return unit(Pool.of(kind, numbers.merge(kind.type(), 1, Integer::sum) - 1L), having, parent.of(having));
    }

    /** Returns the kind of a storage. Fractions are counted in a smaller unit, because the size of a pool is an integer. */
    private static PoolKind kind(Topo.Storage storage) {
        BigDecimal capacity = storage.capacity();
        String unit = storage.unit();
        while (capacity.stripTrailingZeros().scale() > 0 && PREFIXES.indexOf(unit.charAt(0)) > 0) {
            capacity = capacity.multiply(BigDecimal.valueOf(unit.startsWith("i", 1) ? 1024 : 1000));
            unit = PREFIXES.charAt(PREFIXES.indexOf(unit.charAt(0)) - 1) + unit.substring(1);
        }
        long size = capacity.min(LARGEST).setScale(0, RoundingMode.DOWN).longValue();
        return new PoolKind("storage", "storage", size, unit, new TreeMap<>(Map.of("path", storage.path())));
    }

    private void distribute(String type, Idset ids, Idset having, List<Column> parents) {
        int each = plan.order(true).stream()
                .filter(e -> e.position().holds().contains(type)
                        && made.getOrDefault(e, List.of()).contains(parents.get(0)))
                .mapToInt(e -> e.position().each())
                .findFirst()
                .orElse(0);
        int share = each > 0 ? each : share(ids.size(), parents.size());
        int from = 0;
        for (int i = 0; i < parents.size() && from < ids.size(); i++) {
            int to = (int) Math.min(ids.size(), (long) from + share);
            units(type, slice(ids, from, to), having, parents.get(i));
            from = to;
        }
        units(type, slice(ids, from, ids.size()), having, nodes());
    }

    private static Idset slice(Idset ids, int from, int to) {
        return from >= to ? Idset.EMPTY : ids.intersect(Idset.range(ids.nth(from), ids.nth(to - 1)));
    }

    private void units(String type, Idset ids, Idset having, Column parent) {
        if (ids.isEmpty() || having.isEmpty()) {
            return;
        }
        Idset parents = parent.of(having);
        if (detail == Detail.POOLS) {
            unit(pooled(type, ids), having, parents);
        } else {
            ids.forEach(id -> unit(Pool.of(PoolKind.of(type, 1), id), having, parents));
        }
    }

    private Column unit(Pool pool, Idset having, Idset parents) {
        Column column = add(having.size(), position -> pool, having);
        link(CONTAINS, false, parents, column.vertices(), 1, null);
        return column;
    }

    private static Pool pooled(String type, Idset ids) {
        return ids.size() == 1
                ? Pool.of(PoolKind.of(type, 1), ids.first())
                : Pool.of(
                        PoolKind.of(type, ids.size()).withProperties(Map.of(PoolKind.IDS, ids.toString())), Pool.NO_ID);
    }
}
