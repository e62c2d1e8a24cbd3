package io.muster.inventory.feasibility;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.idset.Idset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.IntUnaryOperator;

/**
 * The vertices of a type that occurs only in a subsystem other than containment, such as bandwidth or power. An amount of the
 * type that a host takes is taken from every such vertex above the host (RFC 4, "channeled resource pool"). If the graph has no
 * host below any of the vertices, they serve every host.
 *
 * @param isTree whether no vertex of the subsystem has two vertices above it
 * @param supplies the vertices, each after the one above it
 */
record Flow(String subsystem, String type, boolean isTree, List<Supply> supplies) {
    /**
     * A vertex.
     *
     * @param ranks the hosts below the vertex, and the hosts in racks and other containers below the vertex
     * @param isPool whether the graph has neither a host nor a rack below any vertex of the type, so that the vertex serves every host
     * @param above the index of the nearest vertex of the type above, or -1
     */
    record Supply(long size, String unit, Idset ranks, boolean isPool, int above) {
        long amount(String base) {
            return Units.amount(size, unit, base);
        }
    }

    Flow keep(Idset kept) {
        return new Flow(
                subsystem,
                type,
                isTree,
                supplies.stream()
                        .map(s -> new Supply(s.size, s.unit, s.ranks.intersect(kept), s.isPool, s.above))
                        .toList());
    }

    /** Returns the flows of {@code graph}: the types that are in none of {@code contained}. */
    static List<Flow> of(ResourceGraph graph, Set<String> contained, IntUnaryOperator rankOf, IntPredicate isUsable) {
        List<Flow> flows = new ArrayList<>();
        for (String subsystem : graph.subsystems()) {
            if (!subsystem.equals(EdgeKind.CONTAINMENT)) {
                flows.addAll(new Reader(graph, subsystem, rankOf, isUsable).read(contained));
            }
        }
        return List.copyOf(flows);
    }

    /** Reads the flows of one subsystem. */
    private static final class Reader {
        private final ResourceGraph graph;
        private final String subsystem;
        private final Idset nodes;
        private final IntUnaryOperator rankOf;
        private final IntPredicate isUsable;
        private final Map<Integer, Idset.Builder> below = new HashMap<>();
        private final Map<Integer, Integer> parents = new HashMap<>();
        private final List<Integer> order = new ArrayList<>();
        private boolean isTree = true;

        Reader(ResourceGraph graph, String subsystem, IntUnaryOperator rankOf, IntPredicate isUsable) {
            this.graph = graph;
            this.subsystem = subsystem;
            this.nodes = graph.ofKind(kind -> kind.type().equals("node"));
            this.rankOf = rankOf;
            this.isUsable = isUsable;
        }

        List<Flow> read(Set<String> contained) {
            graph.forEachEdge((source, target, kind) -> {
                if (kind.subsystem().equals(subsystem) && !kind.relationship().equalsIgnoreCase(EdgeKind.IN)) {
                    isTree &= parents.put(target, source) == null;
                }
            });
            Walker.of(graph, subsystem)
                    .pruning(v -> {
                        order.add(v.vertex());
                        return true;
                    })
                    .walk(v -> ranks(v.vertex()));
            Map<String, List<Integer>> byType = new LinkedHashMap<>();
            for (int vertex : order) {
                String type = graph.pool(vertex).type();
                if (!contained.contains(type)) {
                    byType.computeIfAbsent(type, t -> new ArrayList<>()).add(vertex);
                }
            }
            List<Flow> flows = new ArrayList<>();
            byType.forEach((type, vertices) -> flows.add(new Flow(subsystem, type, isTree, supplies(vertices))));
            return flows;
        }

        private void ranks(int vertex) {
            Idset.Builder ranks = below.computeIfAbsent(vertex, v -> Idset.builder());
            int rank = nodes.contains(vertex) ? rankOf.applyAsInt(vertex) : -1;
            if (rank >= 0) {
                ranks.add(rank);
            } else if (graph.isIn(vertex, EdgeKind.CONTAINMENT)) {
                nodes.intersect(graph.below(Idset.of(vertex), EdgeKind.CONTAINMENT))
                        .forEach(node -> ranks.addAll(
                                rankOf.applyAsInt(node) < 0 ? Idset.EMPTY : Idset.of(rankOf.applyAsInt(node))));
            }
            graph.forEachChild(vertex, subsystem, child -> {
                Idset.Builder inner = below.get(child);
                if (inner != null) {
                    ranks.addAll(inner.build());
                }
            });
        }

        private List<Supply> supplies(List<Integer> vertices) {
            Map<Integer, Integer> index = new HashMap<>();
            List<Supply> supplies = new ArrayList<>();
            // A vertex above hosts or racks that are all missing from R serves no host.
            boolean serveAll = vertices.stream().allMatch(this::isAboveNothing);
            for (int vertex : vertices) {
                int above = vertex;
                for (int steps = 0; steps <= order.size() && above >= 0; steps++) {
                    above = parents.getOrDefault(above, -1);
                    if (index.containsKey(above)) {
                        break;
                    }
                }
                index.put(vertex, supplies.size());
                Pool pool = graph.pool(vertex);
                long size = isUsable.test(vertex) ? pool.size() : 0;
                supplies.add(
                        new Supply(size, pool.unit(), ranksBelow(vertex), serveAll, index.getOrDefault(above, -1)));
            }
            return supplies;
        }

        /** Returns whether neither a host nor a vertex that may contain hosts is below a vertex. */
        private boolean isAboveNothing(int vertex) {
            boolean[] above = {!ranksBelow(vertex).isEmpty()};
            graph.forEachChild(vertex, subsystem, child -> above[0] |= graph.isIn(child, EdgeKind.CONTAINMENT));
            return !above[0];
        }

        private Idset ranksBelow(int vertex) {
            return below.getOrDefault(vertex, Idset.builder()).build();
        }
    }
}
