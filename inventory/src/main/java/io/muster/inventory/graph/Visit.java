package io.muster.inventory.graph;

/** A walker's visit of one vertex: the argument of the filters of a {@link Walker}. */
public record Visit(ResourceGraph graph, String subsystem, int vertex, int depth) {
    public Pool pool() {
        return graph.pool(vertex);
    }

    public Extended extended() {
        return graph.extended(vertex);
    }

    public String path() {
        return graph.path(vertex, subsystem);
    }
}
