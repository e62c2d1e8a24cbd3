package io.muster.inventory.feasibility;

/** Whether something fits. {@link #OPEN} means that the search ended before it was certain. */
enum Ruling {
    YES,
    NO,
    OPEN
}
