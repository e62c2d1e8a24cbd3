package io.muster.daemon.ledger;

/** Whether the ledger can make changes durable, as {@link Ledger#status} says on any thread. The metrics and the log show it. */
public enum Condition {
    WRITABLE,
    /**
     * Changes cannot be made durable at present. Of the last write that failed, nothing is left in the log. Files are tried again with the
     * next batch or {@link Ledger#probe}; etcd is tried again all the time.
     */
    READ_ONLY,
    /**
     * The last write failed and could not be taken back, so a change that was refused may exist after a restart. The next batch or probe
     * first tries again to take it back. If the disk accepts writes and this condition stays, restart the daemon.
     */
    UNCERTAIN,
    /** The ledger itself failed because of a bug and accepts nothing until a restart. */
    BROKEN,
    CLOSED
}
