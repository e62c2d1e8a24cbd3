package io.muster.inventory.graph;

import io.muster.inventory.idset.Idset;
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
import java.util.TreeMap;

/** Makes the graph of a resource set with the topology within its nodes (RFC 49): the cluster, the nodes, then their parts. */
final class TopoGraph {
    /** The highest number of vertices, which a table in memory can hold. */
    private static final int MOST = 1 << 23;

    private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final String PREFIXES = "KMGTPE";

    /**
     * A part of a node.
     *
     * @param parent place in the list of parts of the part that contains this one, or -1 for the node
     */
    private record Part(int parent, Pool pool) {}

    private final ResourceSet r;
    private final TreePool topology;
    private final Detail detail;
    private final ResourceGraph.Builder graph = ResourceGraph.builder();
    private int size;

    TopoGraph(ResourceSet r, TreePool topology, Detail detail) {
        this.r = r;
        this.topology = topology;
        this.detail = detail;
    }

    ResourceGraph build() {
        Map<Idset, List<Part>> parts = new LinkedHashMap<>();
        for (Group group : r.groups()) {
            Idset plain = group.ranks();
            for (TreePool.Entry entry : topology.entries()) {
                Idset ranks = group.ranks().intersect(entry.ranks());
                plain = plain.subtract(ranks);
                parts.put(ranks, parts(entry.topo(), group));
            }
            parts.put(plain, parts(new Topo("node", Idset.EMPTY, Idset.EMPTY, 0, List.of(), List.of()), group));
        }
        long vertices = 1L + r.nodes();
        for (Map.Entry<Idset, List<Part>> kind : parts.entrySet()) {
            vertices += (long) kind.getKey().size() * kind.getValue().size();
        }
        if (vertices > MOST) {
            throw new IllegalArgumentException("R with its topology has " + vertices
                    + " vertices, and Muster keeps up to " + MOST + "; leave out levels of scheduling.children");
        }
        ResourceGraph hosts = ResourceGraph.of(r, Detail.NODES);
        for (; size < hosts.size(); size++) {
            graph.vertex(hosts.key(size), hosts.pool(size), hosts.rank(size));
        }
        hosts.forEachEdge(graph::edge);
        parts.forEach(this::nodes);
        return graph.build();
    }

    private List<Part> parts(Topo topo, Group group) {
        Idset cores = group.children().getOrDefault("core", Idset.EMPTY);
        Idset gpus = group.children().getOrDefault("gpu", Idset.EMPTY);
        List<Part> parts = new ArrayList<>();
        parts(topo.of(cores, gpus), -1, parts, new HashMap<>());
        group.children().forEach((type, ids) -> {
            if (!type.equals("core") && !type.equals("gpu")) {
                units(type, ids, -1, parts);
            }
        });
        return parts;
    }

    private void nodes(Idset ranks, List<Part> parts) {
        ranks.forEach(rank -> {
            int node = 1 + r.ranks().position(rank);
            int first = size;
            for (Part part : parts) {
                graph.vertex(Integer.toString(size), part.pool(), rank);
                graph.edge(part.parent() < 0 ? node : first + part.parent(), size++, EdgeKind.contains());
            }
        });
    }

    /** Adds the parts of a domain. Domains of one type are numbered within the node. */
    private void parts(Topo topo, int parent, List<Part> parts, Map<String, Integer> numbers) {
        units("core", topo.cores(), parent, parts);
        units("gpu", topo.gpus(), parent, parts);
        if (topo.memory() > 0) {
            PoolKind kind = new PoolKind("memory", "memory", topo.memory(), "GiB", new TreeMap<>());
            parts.add(new Part(parent, numbered(kind, numbers)));
        }
        for (Topo.Storage storage : topo.storage()) {
            parts.add(new Part(parent, numbered(kind(storage), numbers)));
        }
        for (Topo domain : topo.inner()) {
            int place = parts.size();
            parts.add(new Part(parent, numbered(PoolKind.of(domain.type(), 1), numbers)));
            parts(domain, place, parts, numbers);
        }
    }

    private void units(String type, Idset ids, int parent, List<Part> parts) {
        if (detail == Detail.UNITS || ids.size() == 1) {
            ids.forEach(id -> parts.add(new Part(parent, Pool.of(PoolKind.of(type, 1), id))));
        } else if (!ids.isEmpty()) {
            PoolKind kind = PoolKind.of(type, ids.size()).withProperties(Map.of("ids", ids.toString()));
            parts.add(new Part(parent, Pool.of(kind, Pool.NO_ID)));
        }
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

    /** Returns a pool with the next free number of its type on the node. */
    private static Pool numbered(PoolKind kind, Map<String, Integer> numbers) {
        return Pool.of(kind, numbers.merge(kind.type(), 1, Integer::sum) - 1L);
    }
}
