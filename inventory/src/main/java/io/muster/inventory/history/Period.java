package io.muster.inventory.history;

/** A period of time about which a user asks; both ends are in seconds since the epoch. */
public record Period(double since, double until) {
    /** Returns whether an interval overlaps this period. */
    public boolean contains(Outage interval) {
        return interval.from() <= until && (interval.isOpen() || interval.to() >= since);
    }
}
