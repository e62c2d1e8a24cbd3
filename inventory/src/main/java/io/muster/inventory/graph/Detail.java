package io.muster.inventory.graph;

/** How finely a graph that is made from a resource set distinguishes resources. */
public enum Detail {
    /** Nodes are the leaves of the graph. */
    NODES,
    /** Resources of one type on a node are one pool, with their ids in a property. */
    POOLS,
    /** Every core and every gpu is a vertex. */
    UNITS
}
