package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.SortedMap;
import java.util.function.IntUnaryOperator;

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

    /** For vertices of type node: the rank in {@code r} that each stands for, or -1. */
    IntUnaryOperator ranksIn(ResourceSet r);

    /** The vertices of type node that stand for {@code ranks} of {@code r}. */
    Idset nodesOf(ResourceSet r, Idset ranks);
}
