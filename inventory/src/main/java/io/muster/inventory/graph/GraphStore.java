package io.muster.inventory.graph;

import io.muster.inventory.graph.EdgeKind.EdgeConsumer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.SortedMap;
import java.util.function.IntUnaryOperator;

/**
 * Stores the vertices and edges of a graph, either in a table ({@link TableLayout}) or by computing them from columns
 * ({@link ColumnLayout}).
 */
interface GraphStore {
    int size();

    Pool pool(int vertex);

    /** Returns the execution target that the vertex is or belongs to, or -1. */
    int rank(int vertex);

    /** Returns the id of the vertex in JGF. */
    String key(int vertex);

    /** Returns, for each subsystem, the lowest vertex without a parent. */
    SortedMap<String, Integer> roots();

    void out(int vertex, EdgeConsumer edges);

    void in(int vertex, EdgeConsumer edges);

    /** Visits every edge in the order given. */
    void edges(EdgeConsumer edges);

    /** Returns a function from a vertex of type node to the rank in {@code r} that it stands for, or -1. */
    IntUnaryOperator ranksIn(ResourceSet r);

    /** Returns the vertices of type node that stand for {@code ranks} of {@code r}. */
    Idset nodesOf(ResourceSet r, Idset ranks);
}
