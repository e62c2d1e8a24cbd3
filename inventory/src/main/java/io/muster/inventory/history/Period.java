package io.muster.inventory.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A period of time about which a user asks; both ends are in seconds since the epoch. */
public record Period(double since, double until) {
    /** Returns the intervals that overlap this period. */
    public List<Map.Entry<Outage, List<String>>> keep(List<Map.Entry<Outage, List<String>>> intervals) {
        List<Map.Entry<Outage, List<String>>> kept = new ArrayList<>();
        for (Map.Entry<Outage, List<String>> entry : intervals) {
            Outage interval = entry.getKey();
            if (interval.from() <= until && (interval.isOpen() || interval.to() >= since)) {
                kept.add(entry);
            }
        }
        return kept;
    }
}
