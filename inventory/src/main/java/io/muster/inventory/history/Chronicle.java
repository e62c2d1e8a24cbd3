package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.HoldChanges;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Computes from events the intervals in which hosts were drained, excluded or offline. Hosts are identified by name, because
 * ranks may have changed since the events. An interval whose beginning is not among the known events began before the first
 * known event.
 */
public final class Chronicle {
    private final Predicate<String> wanted;
    private final Map<String, Map<Slot, Outage>> open = new LinkedHashMap<>();
    private final Map<Outage, List<String>> ended = new LinkedHashMap<>();
    private Set<String> hosts = Set.of();
    private double first;

    /**
     * A kind of interval of which a host can have only one at a time. For exclusions by the configuration, the holder is the
     * configuration.
     */
    private record Slot(Outage.Kind kind, String holder) {}

    /**
     * Creates an empty chronicle.
     *
     * @param wanted selects hosts; events of other hosts are ignored
     */
    public Chronicle(Predicate<String> wanted) {
        this.wanted = wanted;
    }

    /** Adds an event. Events must be added in the order in which they happened. */
    public void add(PastEvent event) {
        first = first == 0 ? event.time() : first;
        switch (event.kind()) {
            case DEFINE, DEFINE_OFFLINE -> define(event);
            default -> event.hosts().stream().filter(wanted).forEach(host -> add(host, event));
        }
    }

    private void add(String host, PastEvent event) {
        switch (event.kind()) {
            case DRAIN, DRAIN_REASON, DRAIN_ANEW -> drain(host, event);
            case UNDRAIN -> undrain(host, event);
            case EXCLUDE -> {
                endAll(host, Outage.Kind.DRAINED, event, event.reason());
                begin(host, new Slot(Outage.Kind.EXCLUDED, event.holder()), event);
            }
            case EXCLUDE_HELD -> begin(host, new Slot(Outage.Kind.EXCLUDED, event.holder()), event);
            case SHRINK -> begin(host, new Slot(Outage.Kind.LOST, ""), event);
            case INCLUDE -> include(host, event);
            case OFFLINE -> {
                endAll(host, Outage.Kind.TORPID, event, "");
                begin(host, new Slot(Outage.Kind.OFFLINE, ""), event);
            }
            case TORPID -> begin(host, new Slot(Outage.Kind.TORPID, ""), event);
            case ONLINE -> {
                endAll(host, Outage.Kind.OFFLINE, event, "");
                endAll(host, Outage.Kind.TORPID, event, "");
            }
            case DEFINE, DEFINE_OFFLINE, OTHER -> {}
        }
    }

    /**
     * Ends exclusions. An event of the configuration ends only exclusions by the configuration; an event of an admin ends
     * all other exclusions.
     */
    private void include(String host, PastEvent event) {
        endOne(host, new Slot(Outage.Kind.EXCLUDED, event.holder()), event);
        if (event.holder().isEmpty()) {
            endAll(host, Outage.Kind.LOST, event, event.reason());
        }
    }

    private void drain(String host, PastEvent event) {
        Slot slot = new Slot(Outage.Kind.DRAINED, event.holder());
        Outage current = of(host).get(slot);
        if (current == null) {
            begin(host, slot, event);
        } else if (event.kind() == PastEvent.Kind.DRAIN_ANEW) {
            end(host, slot, current.ended(event.time(), event.who(), ""));
            begin(host, slot, event);
        } else if (event.kind() == PastEvent.Kind.DRAIN_REASON
                || current.reason().isEmpty()) {
            of(host).put(slot, current.withReason(event.reason(), event.who()));
        }
    }

    private void undrain(String host, PastEvent event) {
        if (event.holder().equals(HoldChanges.Undrained.EVERYBODY)) {
            endAll(host, Outage.Kind.DRAINED, event, event.reason());
            return;
        }
        Slot slot = new Slot(Outage.Kind.DRAINED, event.holder());
        of(host).putIfAbsent(slot, Outage.open(Outage.Kind.DRAINED, event.holder(), "", 0, ""));
        endOne(host, slot, event);
    }

    /**
     * Applies a new R. New hosts that begin offline are offline from the time of the event. For hosts that left R, only the
     * changes that admins made continue.
     */
    private void define(PastEvent event) {
        Set<String> next = new LinkedHashSet<>(event.hosts().expand());
        for (String host : hosts) {
            if (!next.contains(host) && wanted.test(host)) {
                leave(host, event);
            }
        }
        for (String host : next) {
            if (!hosts.contains(host) && event.kind() == PastEvent.Kind.DEFINE_OFFLINE && wanted.test(host)) {
                Outage outage = Outage.open(Outage.Kind.OFFLINE, "", "defined", event.time(), "");
                of(host).put(new Slot(Outage.Kind.OFFLINE, ""), outage);
            }
        }
        hosts = next;
    }

    private void leave(String host, PastEvent event) {
        for (Outage.Kind kind : List.of(Outage.Kind.OFFLINE, Outage.Kind.TORPID, Outage.Kind.LOST)) {
            endAll(host, kind, event, event.reason());
        }
        endOne(host, new Slot(Outage.Kind.EXCLUDED, PastEvent.CONFIG), event);
    }

    private Map<Slot, Outage> of(String host) {
        return open.computeIfAbsent(host, h -> new LinkedHashMap<>());
    }

    private void begin(String host, Slot slot, PastEvent event) {
        String holder = slot.kind() == Outage.Kind.DRAINED ? slot.holder() : "";
        Outage outage = Outage.open(slot.kind(), holder, event.reason(), event.time(), event.who());
        of(host).putIfAbsent(slot, outage);
    }

    private void endAll(String host, Outage.Kind kind, PastEvent event, String comment) {
        for (Map.Entry<Slot, Outage> entry : List.copyOf(of(host).entrySet())) {
            if (entry.getKey().kind() == kind) {
                end(host, entry.getKey(), entry.getValue().ended(event.time(), event.who(), comment));
            }
        }
    }

    private void endOne(String host, Slot slot, PastEvent event) {
        Outage current = of(host).get(slot);
        if (current != null) {
            end(host, slot, current.ended(event.time(), event.who(), event.reason()));
        }
    }

    private void end(String host, Slot slot, Outage interval) {
        of(host).remove(slot);
        ended.computeIfAbsent(interval, i -> new ArrayList<>()).add(host);
    }

    /** Returns the time of the first known event; 0 if there is none. */
    public double first() {
        return first;
    }

    /** Returns all intervals ordered by their beginning, each with its hosts in the order in which the events named them. */
    public List<Map.Entry<Outage, List<String>>> intervals() {
        Map<Outage, List<String>> all = new LinkedHashMap<>();
        ended.forEach((interval, hosts) -> all.put(interval, new ArrayList<>(hosts)));
        open.forEach((host, slots) -> slots.values()
                .forEach(interval ->
                        all.computeIfAbsent(interval, i -> new ArrayList<>()).add(host)));
        List<Map.Entry<Outage, List<String>>> sorted = new ArrayList<>(all.entrySet());
        sorted.sort((a, b) -> Double.compare(a.getKey().from(), b.getKey().from()));
        return sorted;
    }

    /**
     * Returns the intervals as JSON for programs.
     *
     * @param intervals some of {@link #intervals}
     */
    public ObjectNode toJson(List<Map.Entry<Outage, List<String>>> intervals, double now) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("known_since", first == 0 ? null : Times.rfc3339(first));
        ArrayNode all = json.putArray("intervals");
        for (Map.Entry<Outage, List<String>> entry : intervals) {
            String hosts = Hostlist.of(entry.getValue()).toString();
            all.add(entry.getKey().toJson(now).put("hosts", hosts));
        }
        return json;
    }
}
