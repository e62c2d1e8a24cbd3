package io.muster.inventory.history;

/** A period; both times are in seconds since the epoch. */
public record Period(double since, double until) {
    /** Whether an interval overlaps this period. */
    public boolean contains(Outage interval) {
        return interval.from() <= until && (interval.isOpen() || interval.to() >= since);
    }
}
