package io.muster.protocol.operation;

/** The documents about the state of hosts. */
public enum Document {
    /** The hosts in groups that are alike. */
    STATUS,
    /** The hosts with holds, in groups that are alike. */
    HOLDS,
    /** Hosts one by one. */
    HOSTS,
    /** One host. */
    HOST,
    /** The resources that schedulers may use: free, allocated and down. */
    LIST,
    /** Counts, queues, properties, and the newest and oldest problems. */
    SUMMARY,
    /** R itself. */
    R,
    /** Cores, GPUs and properties of hosts. */
    LAYOUT
}
