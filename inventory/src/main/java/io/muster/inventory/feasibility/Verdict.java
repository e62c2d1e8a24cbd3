package io.muster.inventory.feasibility;

/** The verdicts on the question "could this job run here?". {@link #YES} and {@link #NEVER} are given only if they are proven. */
public enum Verdict {
    /** The request fits the inventory or, if the question was about now, the hosts that are up. */
    YES,
    /** The request could not run even if everything were up and free. */
    NEVER,
    /** The request has no meaning for this inventory, such as an amount in a unit that no pool has. */
    INVALID,
    /** The request fits the inventory, but not the hosts that are up, or it would not end before the inventory expires. */
    NOT_NOW,
    /** The exact search reached its limit, so neither YES nor NEVER is proven. */
    UNKNOWN
}
