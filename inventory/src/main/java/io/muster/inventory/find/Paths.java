package io.muster.inventory.find;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import java.util.Set;

/** Paths of vertices, as in {@code /cluster0/rack1/node37} and {@code power:/power0/pdu3}. */
final class Paths {
    /** The number of vertices up to which looking at each of their names is faster than looking for a name. */
    private static final int FEW = 4096;

    private Paths() {}

    /** Returns the path of a vertex in containment or, if it is not there, in the first subsystem where it is. */
    static String of(ResourceGraph graph, int vertex) {
        String home = EdgeKind.CONTAINMENT;
        if (!graph.isIn(vertex, home)) {
            home = graph.subsystems().stream()
                    .filter(s -> graph.isIn(vertex, s))
                    .findFirst()
                    .orElse(home);
        }
        return of(graph, vertex, home);
    }

    /** Returns the path of a vertex in a subsystem, whose name stands before the path unless it is containment. */
    static String of(ResourceGraph graph, int vertex, String subsystem) {
        String path = graph.path(vertex, subsystem);
        return subsystem.equals(EdgeKind.CONTAINMENT) ? path : subsystem + ":" + path;
    }

    /** Returns the vertices to which a path leads, name by name from the top of the subsystem. */
    static Idset find(ResourceGraph graph, String subsystem, Pattern path) {
        String[] names = path.text().split("/", -1);
        Idset found = Idset.EMPTY;
        for (int i = 1; i < names.length; i++) {
            Idset next = i == 1 ? tops(graph, subsystem) : graph.children(found, subsystem);
            Pattern name = new Pattern(names[i], path.exact(), null);
            found = name.isGlob() || next.size() < FEW
                    ? graph.where(next, v -> name.matches(graph.pool(v).name()))
                    : next.intersect(graph.named(Set.of(name.text())));
        }
        return found;
    }

    /** Returns the root, and the vertices without parent, of which a subsystem that is no hierarchy may have several. */
    static Idset tops(ResourceGraph graph, String subsystem) {
        int root = graph.root(subsystem);
        Idset members = graph.in(subsystem);
        return root < 0
                ? Idset.EMPTY
                : members.subtract(graph.children(members, subsystem)).with(root);
    }
}
