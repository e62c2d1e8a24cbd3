package io.muster.inventory.request.feasibility;

/** The answers to "could this run here?"; only a proof gives {@link #YES} or {@link #NEVER}. */
public enum Verdict {
    /** It fits: ever, or now when that was asked. */
    YES,
    /** It could not run even if everything were up and free. */
    NEVER,
    /** The request means nothing here, such as an amount in a unit that no pool has. */
    INVALID,
    /** It fits the inventory, but not what is up, or not before the inventory expires. */
    NOT_NOW,
    /** Past the stated bound of the exact search; neither proven. */
    UNKNOWN
}
