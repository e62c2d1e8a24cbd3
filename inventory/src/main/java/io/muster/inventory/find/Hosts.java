package io.muster.inventory.find;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Set;

/** Finds the hosts to which vertices belong, and the vertices that belong to hosts. */
final class Hosts {
    private static final String NODE = "node";

    private Hosts() {}

    /** Returns vertices and everything in them. */
    static Idset parts(ResourceGraph graph, Idset vertices) {
        return vertices.union(graph.below(vertices, EdgeKind.CONTAINMENT));
    }

    /** Returns the vertices below {@code vertices} in a subsystem, and all vertices that these and {@code vertices} contain. */
    static Idset below(ResourceGraph graph, Idset vertices, String subsystem) {
        Idset contained = graph.below(vertices, EdgeKind.CONTAINMENT);
        return subsystem.equals(EdgeKind.CONTAINMENT)
                ? contained
                : contained.union(parts(graph, graph.below(vertices, subsystem)));
    }

    /**
     * Returns the ranks of the nodes that {@code found} has, of the nodes in which other vertices of {@code found} are, and of
     * the nodes below those that are in no node, such as racks. A vertex outside of containment, such as a PDU, stands for the
     * nodes below it in any subsystem.
     */
    static Idset ranks(ResourceGraph graph, ResourceSet r, Idset found, String subsystem) {
        Idset nodes = graph.ofKind(kind -> kind.type().equals(NODE));
        Idset parts = found.subtract(nodes);
        Idset around = graph.above(parts, EdgeKind.CONTAINMENT).intersect(nodes);
        Idset outside = parts.subtract(parts(graph, around));
        if (outside.isEmpty()) {
            return graph.ranksOf(r, found.intersect(nodes).union(around));
        }
        Idset inside = below(graph, outside, subsystem);
        Idset loose = outside.subtract(graph.in(EdgeKind.CONTAINMENT));
        for (String other : loose.isEmpty() ? Set.<String>of() : graph.subsystems()) {
            inside = inside.union(below(graph, loose, other));
        }
        return graph.ranksOf(r, found.intersect(nodes).union(around).union(inside.intersect(nodes)));
    }
}
