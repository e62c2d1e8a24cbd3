package io.muster.inventory.feasibility;

/** Whether a request fits. {@link #OPEN} means that the search reached its limit before the answer was certain. */
enum Ruling {
    YES,
    NO,
    OPEN
}
