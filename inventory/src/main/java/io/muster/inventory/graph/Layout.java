package io.muster.inventory.graph;

import io.muster.inventory.idset.Idset;
import java.util.SortedMap;

/** How a graph's vertices and edges are held: as a table of what was given, or worked out from a resource set. */
interface Layout {
    int size();

    Pool pool(int vertex);

    /** The execution target that the vertex is or belongs to, or -1. */
    int rank(int vertex);

    /** The vertex's id in JGF. */
    String key(int vertex);

    /** The lowest vertex without a parent in each subsystem. */
    SortedMap<String, Integer> roots();

    void out(int vertex, EdgeConsumer edges);

    void in(int vertex, EdgeConsumer edges);

    /** Every edge, in the order given. */
    void edges(EdgeConsumer edges);

    /** The vertices of type node that stand for {@code ranks}. */
    Idset nodesOf(Idset ranks);
}
