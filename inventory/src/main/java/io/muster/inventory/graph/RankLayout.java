package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The graph of a resource set, computed on demand.
 *
 * <pre>
 *   0              the cluster
 *   1 .. N         the nodes, by ascending rank
 *   then, group by group: the parts of the group's first node, of its second, ...
 * </pre>
 */
final class RankLayout implements GraphStore {
    private static final EdgeKind CONTAINS = EdgeKind.contains();
    private static final int MAX_NAME_DIGITS = 9;

    /**
     * The similar nodes of one R_lite entry. The parts of these nodes are the vertices {@code base .. base + ranks.size() *
     * parts.size() - 1}.
     */
    private record Block(Idset ranks, List<Pool> parts, int base) {}

    private final ResourceSet r;
    private final Idset ranks;
    private final List<Block> blocks = new ArrayList<>();
    private final int size;
    /** The nodes of each kind. {@link #nodesByKind} computes them when it is first called. */
    private @Nullable Map<PoolKind, Idset> byKind;

    RankLayout(ResourceSet r, Detail detail) {
        this.r = r;
        this.ranks = r.ranks();
        long base = 1L + ranks.size();
        for (Group group : r.groups()) {
            List<Pool> parts = parts(group, detail);
            blocks.add(new Block(group.ranks(), parts, Math.toIntExact(base)));
            base += (long) group.ranks().size() * parts.size();
            if (base > Idset.MAX_ID) {
                throw new IllegalArgumentException("more vertices than a graph can number; ask for less detail");
            }
        }
        this.size = (int) base;
    }

    private static List<Pool> parts(Group group, Detail detail) {
        List<Pool> parts = new ArrayList<>();
        group.children().forEach((type, ids) -> {
            switch (detail) {
                case NODES -> {}
                case POOLS -> parts.add(pooled(type, ids));
                case UNITS -> ids.forEach(id -> parts.add(Pool.of(PoolKind.of(type, 1), id)));
            }
        });
        return parts;
    }

    private static Pool pooled(String type, Idset ids) {
        return ids.size() == 1
                ? Pool.of(PoolKind.of(type, 1), ids.first())
                : Pool.of(PoolKind.of(type, ids.size()).withProperties(Map.of("ids", ids.toString())), Pool.NO_ID);
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Pool pool(int vertex) {
        if (vertex == 0) {
            return Pool.of(PoolKind.of("cluster", 1), 0);
        }
        if (vertex <= ranks.size()) {
            return node(ranks.nth(vertex - 1));
        }
        Block block = block(vertex);
        return block.parts().get((vertex - block.base()) % block.parts().size());
    }

    private Pool node(int rank) {
        String host = r.hostOf(rank);
        String basename = basename(host);
        SortedMap<String, String> properties = new TreeMap<>();
        r.properties().forEach((name, having) -> {
            if (having.contains(rank)) {
                properties.put(name, "");
            }
        });
        PoolKind kind = new PoolKind("node", basename, 1, "", properties);
        String number = host.substring(basename.length());
        return new Pool(kind, number.isEmpty() ? Pool.NO_ID : Long.parseLong(number), host, Map.of());
    }

    /**
     * Returns the part of a host name before the number at its end. If there is no such number, or if it has leading zeros,
     * the whole name is the basename.
     */
    private static String basename(String host) {
        int digits = host.length();
        while (digits > 0 && host.charAt(digits - 1) >= '0' && host.charAt(digits - 1) <= '9') {
            digits--;
        }
        int length = host.length() - digits;
        boolean plain =
                digits > 0 && length > 0 && length <= MAX_NAME_DIGITS && (length == 1 || host.charAt(digits) != '0');
        return plain ? host.substring(0, digits) : host;
    }

    private Map<PoolKind, Idset> nodesByKind() {
        Map<PoolKind, Idset> known = byKind;
        if (known == null) {
            known = computeNodesByKind();
            byKind = known;
        }
        return known;
    }

    private Map<PoolKind, Idset> computeNodesByKind() {
        Map<String, Idset.Builder> byName = new LinkedHashMap<>();
        int[] at = {0};
        r.hosts().stream()
                .forEach(host -> byName.computeIfAbsent(basename(host), name -> Idset.builder())
                        .add(++at[0]));
        Map<PoolKind, Idset> kinds = new HashMap<>();
        byName.forEach((name, nodes) -> kinds.put(new PoolKind("node", name, 1, "", new TreeMap<>()), nodes.build()));
        r.properties().forEach((name, having) -> {
            Idset nodes = nodesOf(r, having);
            for (Map.Entry<PoolKind, Idset> kind : List.copyOf(kinds.entrySet())) {
                Idset with = kind.getValue().intersect(nodes);
                if (!with.isEmpty()) {
                    SortedMap<String, String> properties =
                            new TreeMap<>(kind.getKey().properties());
                    properties.put(name, "");
                    kinds.put(kind.getKey().withProperties(properties), with);
                    kinds.put(kind.getKey(), kind.getValue().subtract(with));
                }
            }
        });
        kinds.values().removeIf(Idset::isEmpty);
        return kinds;
    }

    private Block block(int vertex) {
        int low = 0;
        int high = blocks.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (blocks.get(middle).base() <= vertex) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return blocks.get(low);
    }

    /** Returns the rank of the node that a part belongs to. */
    private static int owner(Block block, int vertex) {
        return block.ranks().nth((vertex - block.base()) / block.parts().size());
    }

    @Override
    public int rank(int vertex) {
        if (vertex == 0) {
            return -1;
        }
        return vertex <= ranks.size() ? ranks.nth(vertex - 1) : owner(block(vertex), vertex);
    }

    @Override
    public String key(int vertex) {
        return Integer.toString(vertex);
    }

    @Override
    public SortedMap<String, Integer> roots() {
        return new TreeMap<>(Map.of(EdgeKind.CONTAINMENT, 0));
    }

    @Override
    public void out(int vertex, EdgeConsumer edges) {
        if (vertex == 0) {
            for (int node = 1; node <= ranks.size(); node++) {
                edges.edge(0, node, CONTAINS);
            }
        } else if (vertex <= ranks.size()) {
            int rank = ranks.nth(vertex - 1);
            for (Block block : blocks) {
                if (block.ranks().contains(rank)) {
                    int first = block.base()
                            + block.ranks().position(rank) * block.parts().size();
                    for (int i = 0; i < block.parts().size(); i++) {
                        edges.edge(vertex, first + i, CONTAINS);
                    }
                }
            }
        }
    }

    @Override
    public void in(int vertex, EdgeConsumer edges) {
        if (vertex > ranks.size()) {
            edges.edge(1 + ranks.position(rank(vertex)), vertex, CONTAINS);
        } else if (vertex > 0) {
            edges.edge(0, vertex, CONTAINS);
        }
    }

    @Override
    public void edges(EdgeConsumer edges) {
        for (int vertex = 0; vertex <= ranks.size(); vertex++) {
            out(vertex, edges);
        }
    }

    @Override
    public IntUnaryOperator ranksIn(ResourceSet other) {
        return this::rank;
    }

    @Override
    public Idset nodesOf(ResourceSet other, Idset wanted) {
        if (isOneRange()) {
            return ranks.intersect(wanted).shift(1 - ranks.first());
        }
        Idset.Builder nodes = Idset.builder();
        ranks.intersect(wanted)
                .forEachRange((first, last) -> nodes.addRange(1 + ranks.position(first), 1 + ranks.position(last)));
        return nodes.build();
    }

    private boolean isOneRange() {
        return !ranks.isEmpty() && ranks.last() - ranks.first() == ranks.size() - 1;
    }

    @Override
    public Idset ranksOf(ResourceSet other, Idset nodes) {
        if (isOneRange()) {
            return nodes.shift(ranks.first() - 1);
        }
        Idset.Builder found = Idset.builder();
        nodes.forEachRange(
                (first, last) -> found.addAll(ranks.intersect(Idset.range(ranks.nth(first - 1), ranks.nth(last - 1)))));
        return found.build();
    }

    @Override
    public Idset ofKind(Predicate<PoolKind> test) {
        Idset.Builder found = Idset.builder();
        if (test.test(pool(0).kind())) {
            found.add(0);
        }
        nodesByKind().forEach((kind, nodes) -> {
            if (test.test(kind)) {
                found.addAll(nodes);
            }
        });
        Map<PoolKind, Boolean> known = new HashMap<>();
        addParts(found, part -> known.computeIfAbsent(part.kind(), test::test));
        return found.build();
    }

    @Override
    public Idset ofPool(Predicate<Pool> test) {
        Idset.Builder found = Idset.builder();
        for (int vertex = 0; vertex <= ranks.size(); vertex++) {
            if (test.test(pool(vertex))) {
                found.add(vertex);
            }
        }
        addParts(found, test);
        return found.build();
    }

    @Override
    public Idset named(Set<String> names) {
        Idset.Builder found = Idset.builder();
        if (names.contains(pool(0).name())) {
            found.add(0);
        }
        names.forEach(name -> found.addAll(nodesOf(r, r.ranksOf(name))));
        addParts(found, part -> names.contains(part.name()));
        return found.build();
    }

    private void addParts(Idset.Builder found, Predicate<Pool> test) {
        for (Block block : blocks) {
            List<Integer> chosen = new ArrayList<>();
            for (int i = 0; i < block.parts().size(); i++) {
                if (test.test(block.parts().get(i))) {
                    chosen.add(i);
                }
            }
            if (chosen.isEmpty()) {
                continue;
            }
            int step = block.parts().size();
            if (chosen.size() == step) {
                found.addRange(block.base(), block.base() + step * block.ranks().size() - 1);
                continue;
            }
            for (int node = 0; node < block.ranks().size(); node++) {
                for (int part : chosen) {
                    found.add(block.base() + node * step + part);
                }
            }
        }
    }

    @Override
    public Idset children(Idset vertices, String subsystem) {
        Idset.Builder found = Idset.builder();
        if (subsystem.equals(EdgeKind.CONTAINMENT)) {
            if (vertices.contains(0) && !ranks.isEmpty()) {
                found.addRange(1, ranks.size());
            }
            vertices.intersect(Idset.range(0, ranks.size())).forEachRange((first, last) -> {
                if (last > 0) {
                    addPartsOf(ranks.nth(Math.max(first, 1) - 1), ranks.nth(last - 1), found);
                }
            });
        }
        return found.build();
    }

    private void addPartsOf(int firstRank, int lastRank, Idset.Builder found) {
        for (Block block : blocks) {
            int from = block.ranks().position(firstRank);
            int to = block.ranks().position(lastRank + 1);
            int step = block.parts().size();
            if (from < to && step > 0) {
                found.addRange(block.base() + from * step, block.base() + to * step - 1);
            }
        }
    }

    @Override
    public Idset below(Idset vertices, String subsystem) {
        Idset children = children(vertices, subsystem);
        return children.union(children(children, subsystem));
    }

    @Override
    public Idset above(Idset vertices, String subsystem) {
        if (!subsystem.equals(EdgeKind.CONTAINMENT) || vertices.isEmpty() || vertices.last() == 0) {
            return Idset.EMPTY;
        }
        Idset.Builder found = Idset.builder().add(0);
        for (Block block : blocks) {
            int step = block.parts().size();
            int count = step * block.ranks().size();
            if (count > 0) {
                vertices.intersect(Idset.range(block.base(), block.base() + count - 1))
                        .forEachRange((first, last) -> addNodes(block, first, last, found));
            }
        }
        return found.build();
    }

    private void addNodes(Block block, int firstPart, int lastPart, Idset.Builder found) {
        int first = owner(block, firstPart);
        int last = owner(block, lastPart);
        block.ranks()
                .intersect(Idset.range(first, last))
                .forEachRange((from, to) -> found.addRange(1 + ranks.position(from), 1 + ranks.position(to)));
    }

    @Override
    public Idset in(String subsystem) {
        return subsystem.equals(EdgeKind.CONTAINMENT) ? all() : Idset.EMPTY;
    }
}
