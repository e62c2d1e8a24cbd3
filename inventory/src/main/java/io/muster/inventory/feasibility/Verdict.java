package io.muster.inventory.feasibility;

/** Answers to "could this run here?"; only a proof gives {@link #YES} or {@link #NEVER}. */
public enum Verdict {
    /** The request fits: ever, or now if the question was about now. */
    YES,
    /** The request could not run even if everything were up and free. */
    NEVER,
    /** The request means nothing here, such as an amount in a unit that no pool has. */
    INVALID,
    /** The request fits the inventory, but not the hosts that are up, or it would not end before the inventory expires. */
    NOT_NOW,
    /** The exact search reached its limit; neither answer is proven. */
    UNKNOWN
}
