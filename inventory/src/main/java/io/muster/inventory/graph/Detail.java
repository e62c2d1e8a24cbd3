package io.muster.inventory.graph;

/** How finely a graph that is made from a resource set distinguishes resources. */
public enum Detail {
    /** The nodes are the leaves. */
    NODES,
    /** Resources of one type on a node are one pool, with their ids in a property. */
    POOLS,
    /** Every core and gpu is a vertex of its own. */
    UNITS
}
