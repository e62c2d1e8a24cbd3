package io.muster.inventory.find;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;

/** Which hosts vertices belong to, and which vertices belong to hosts. */
final class Hosts {
    private static final String NODE = "node";

    private Hosts() {}

    /** Returns nodes and everything in them. */
    static Idset parts(ResourceGraph graph, Idset nodes) {
        return nodes.union(graph.below(nodes, EdgeKind.CONTAINMENT));
    }

    /**
     * Returns the ranks of the nodes that {@code found} has, of the nodes in which other vertices of {@code found} are, and of
     * the nodes below those that are in no node, such as racks.
     */
    static Idset ranks(ResourceGraph graph, ResourceSet r, Idset found, String subsystem) {
        Idset nodes = graph.ofKind(kind -> kind.type().equals(NODE));
        Idset parts = found.subtract(nodes);
        Idset around = graph.above(parts, EdgeKind.CONTAINMENT).intersect(nodes);
        Idset outside = parts.subtract(parts(graph, around));
        Idset inside = outside.isEmpty()
                ? Idset.EMPTY
                : graph.below(outside, EdgeKind.CONTAINMENT)
                        .union(graph.below(outside, subsystem))
                        .intersect(nodes);
        return graph.ranksOf(r, found.intersect(nodes).union(around).union(inside));
    }
}
