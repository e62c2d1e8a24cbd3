package io.muster.daemon.ledger;

/**
 * The result of a batch or a snapshot.
 *
 * @param reason one sentence for the operator; "" if the kind is DURABLE
 * @param elsewhere whether the batch is certainly not in the ledger because another daemon writes it, so that the daemon that does may be
 *     sent the change
 */
public record Outcome(Kind kind, String reason, boolean elsewhere) {
    public static final Outcome DURABLE = new Outcome(Kind.DURABLE, "", false);

    public boolean durable() {
        return kind == Kind.DURABLE;
    }

    public static Outcome failed(String reason) {
        return new Outcome(Kind.FAILED, reason, false);
    }

    public static Outcome abandoned(String reason) {
        return new Outcome(Kind.ABANDONED, reason, false);
    }

    public enum Kind {
        /** The batch is on disk, and so is everything that was submitted before it. */
        DURABLE,
        /**
         * The batch could not be written. Each failure gives this outcome to exactly one batch, the first one with events. Its submitter
         * returns to the durable state and numbers the next batch from there.
         */
        FAILED,
        /**
         * The batch was submitted after a batch that failed and before the submitter knew of the failure, so it was decided on a state that
         * never became durable. The submitter has nothing to undo: the failed batch was reported before.
         */
        ABANDONED
    }
}
