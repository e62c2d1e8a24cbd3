package io.muster.inventory.graph;

/** Told of edges, one call each. */
@FunctionalInterface
public interface EdgeConsumer {
    void edge(int source, int target, EdgeKind kind);
}
