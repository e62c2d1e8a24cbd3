package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

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

    /**
     * Returns the pool of a node. A host name that ends in a number without leading zeros is split into basename and id; any
     * other host name is a basename.
     */
    private Pool node(int rank) {
        String host = r.hostOf(rank);
        int digits = host.length();
        while (digits > 0 && Character.digit(host.charAt(digits - 1), 10) >= 0 && host.charAt(digits - 1) <= '9') {
            digits--;
        }
        String number = host.substring(digits);
        boolean plain = digits > 0
                && !number.isEmpty()
                && number.length() <= MAX_NAME_DIGITS
                && (number.length() == 1 || number.charAt(0) != '0');
        SortedMap<String, String> properties = new TreeMap<>();
        r.properties().forEach((name, having) -> {
            if (having.contains(rank)) {
                properties.put(name, "");
            }
        });
        PoolKind kind = new PoolKind("node", plain ? host.substring(0, digits) : host, 1, "", properties);
        return new Pool(kind, plain ? Long.parseLong(number) : Pool.NO_ID, host, Map.of());
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
        Idset.Builder nodes = Idset.builder();
        ranks.intersect(wanted)
                .forEachRange((first, last) -> nodes.addRange(1 + ranks.position(first), 1 + ranks.position(last)));
        return nodes.build();
    }
}
