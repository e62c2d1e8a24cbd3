package io.muster.daemon.ledger;

/** Whether the ledger can make changes durable. */
public enum Condition {
    WRITABLE,
    /**
     * The last write failed and was taken back: no part of the write is left in the log. The next batch or probe tries
     * again.
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
