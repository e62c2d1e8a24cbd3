package io.muster.daemon.journal;

/** Whether changes can be made durable. */
public enum Condition {
    WRITABLE,
    /** The last write failed and nothing of it is left in the log. The next batch, or a probe, tries again. */
    READ_ONLY,
    /**
     * The last write failed and could not be taken back either: a refused change may be there after a restart. The next
     * batch, or a probe, first tries again to take it back. If the disk is well and this stays, restart the daemon.
     */
    UNCERTAIN,
    /** The journal itself failed, by a bug: nothing is accepted until a restart. */
    BROKEN,
    CLOSED
}
