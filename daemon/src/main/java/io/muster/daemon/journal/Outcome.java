package io.muster.daemon.journal;

/**
 * What became of a batch or a snapshot.
 *
 * @param reason one sentence for the operator; "" when durable
 */
public record Outcome(Kind kind, String reason) {
    static final Outcome DURABLE = new Outcome(Kind.DURABLE, "");

    public boolean durable() {
        return kind == Kind.DURABLE;
    }

    static Outcome failed(String reason) {
        return new Outcome(Kind.FAILED, reason);
    }

    static Outcome abandoned(String reason) {
        return new Outcome(Kind.ABANDONED, reason);
    }

    public enum Kind {
        /** On disk, as is everything submitted before it. */
        DURABLE,
        /**
         * Could not be written. Exactly one batch per failure ends so, the first with events: its submitter goes back
         * to the durable state and numbers the next batch from there.
         */
        FAILED,
        /**
         * Submitted after a batch that failed and before the submitter knew, so decided on a state that never came to
         * be. Nothing to go back to: the failure before it has been told already.
         */
        ABANDONED
    }
}
