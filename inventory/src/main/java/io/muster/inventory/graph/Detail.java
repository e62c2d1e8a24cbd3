package io.muster.inventory.graph;

/** How finely a graph made from a resource set tells resources apart. */
public enum Detail {
    /** Down to the nodes. */
    NODES,
    /** A node's resources of one type are one pool, its ids a property. */
    POOLS,
    /** Every core and gpu is a vertex of its own. */
    UNITS
}
