package io.muster.inventory.graph;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/** The racks of a resource graph. */
public final class Racks {
    private static final String TYPE = "rack";

    private Racks() {}

    /** Returns the ranks below each rack, by the path of the rack without the cluster. Ranks that are in no rack are left out. */
    public static Map<String, Idset> of(ResourceGraph graph, ResourceSet resources) {
        Map<Integer, Idset.Builder> ranks = new HashMap<>();
        IntUnaryOperator rankOf = graph.ranksIn(resources);
        graph.nodesOf(resources, resources.ranks()).forEach(node -> {
            int at = node;
            for (int steps = 0; at >= 0 && steps < Paths.MOST_LEVELS; steps++) {
                if (graph.pool(at).type().equals(TYPE)) {
                    ranks.computeIfAbsent(at, rack -> Idset.builder()).add(rankOf.applyAsInt(node));
                    return;
                }
                at = graph.parent(at, EdgeKind.CONTAINMENT);
            }
        });
        Map<String, Idset> racks = new TreeMap<>();
        ranks.forEach((rack, below) -> {
            String path = graph.path(rack, EdgeKind.CONTAINMENT);
            racks.put(path.substring(path.indexOf('/', 1) + 1), below.build());
        });
        return racks;
    }
}
