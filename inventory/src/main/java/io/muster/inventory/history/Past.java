package io.muster.inventory.history;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.HostSearch;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes the answer to a question about the past from events and states, which are added in the order in which they happened.
 * A state replaces events that are missing before it, because the state has the beginning of each open interval.
 */
public final class Past {
    private final Set<String> hosts;
    private final HostSearch search;
    private final Period period;
    private final Chronicle chronicle;
    private boolean whole = true;
    private boolean gap;
    private double since;
    private String damage = "";

    /**
     * @param hosts the hosts that are asked for; empty for all hosts
     * @param notes whether marks and tags are asked for
     */
    public Past(Set<String> hosts, Period period, boolean notes) {
        this.hosts = hosts;
        this.search = new HostSearch(hosts);
        this.period = period;
        this.chronicle = new Chronicle(hosts, notes);
    }

    /**
     * Records that events are missing at this point.
     *
     * @param fault what is damaged; "" if the events were deleted because they are old
     */
    public void missing(String fault) {
        whole = false;
        gap = true;
        chronicle.missing();
        damage = damage.isEmpty() ? fault : damage;
    }

    /** @param time when the state was as given, in seconds since the epoch */
    public void add(InventoryState state, double time) {
        chronicle.add(state, time);
        since = gap ? time : since;
        gap = false;
    }

    /** Adds an event as Muster or a Flux broker sends it; events after the period are ignored. */
    public void add(JsonNode json) {
        PastEvent event = PastEvent.of(json, search);
        if (event.time() <= period.until()) {
            chronicle.add(event);
        }
    }

    /** Returns the number of open intervals, which is a measure of the memory in use. */
    public int opened() {
        return chronicle.opened();
    }

    /** Returns the number of intervals that {@link #takeEnded} would return, or a few more. */
    public int ended() {
        return chronicle.ended();
    }

    /** Removes and returns the intervals of the period that have ended so far. */
    public Map<Outage, List<String>> takeEnded() {
        Map<Outage, List<String>> taken = new LinkedHashMap<>();
        chronicle.takeEnded().forEach((outage, names) -> keep(taken, outage, names));
        return taken;
    }

    /** Returns the intervals of the period that are left after {@link #takeEnded}, most of them open. */
    public Map<Outage, List<String>> rest() {
        Map<Outage, List<String>> rest = new LinkedHashMap<>();
        chronicle.intervals().forEach(entry -> keep(rest, entry.getKey(), entry.getValue()));
        return rest;
    }

    /** Keeps an interval of the period. An interval that ends after the period counts as open. */
    private void keep(Map<Outage, List<String>> kept, Outage outage, List<String> names) {
        Outage seen = outage.to() > period.until() ? outage.ended(0, "", "") : outage;
        if (period.contains(seen)) {
            kept.computeIfAbsent(seen, o -> new ArrayList<>()).addAll(names);
        }
    }

    public Coverage coverage() {
        List<String> unknown = new ArrayList<>(hosts);
        unknown.removeAll(chronicle.seen());
        double first = chronicle.first();
        return new Coverage(first, whole ? first : since, whole, damage, Hostlist.of(unknown));
    }
}
