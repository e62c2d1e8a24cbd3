package io.muster.cli.past;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.Events;
import io.muster.cli.ask.Outage;
import io.muster.inventory.hostlist.Hostlist;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Computes from events the times in which hosts were drained, excluded or offline. Hosts are identified by name, because ranks have changed
 * since long past events. If an interval ends that no known event began, it began before the known events.
 */
final class Chronicle {
    private static final String SHARED = "admin";
    private static final String EVERYBODY = "*";
    private static final String CONFIG = "config";

    private final Predicate<String> wanted;
    private final Map<String, Map<Slot, Outage>> open = new LinkedHashMap<>();
    private final Map<Outage, List<String>> ended = new LinkedHashMap<>();
    private Set<String> hosts = Set.of();
    private double first;

    /** A kind of interval that a host can have once at a time. Exclusions by the configuration have the configuration as holder. */
    private record Slot(String kind, String holder) {}

    /** @param wanted selects hosts; events of other hosts are ignored */
    Chronicle(Predicate<String> wanted) {
        this.wanted = wanted;
    }

    static Chronicle of(Events events, Predicate<String> wanted, double until) throws IOException {
        Chronicle chronicle = new Chronicle(wanted);
        for (ObjectNode event = events.next(); event != null; event = events.next()) {
            if (event.path("timestamp").asDouble() <= until) {
                chronicle.add(event);
            }
        }
        return chronicle;
    }

    /** Adds an event. Events must be added in the order in which they happened. */
    void add(JsonNode event) {
        double time = event.path("timestamp").asDouble();
        first = first == 0 ? time : first;
        JsonNode context = event.path("context");
        String name = event.path("name").asText();
        if (name.equals("resource-define")) {
            define(context, time);
            return;
        }
        String nodelist = context.path("nodelist").asText("");
        for (String host : nodelist.isEmpty()
                ? List.<String>of()
                : Hostlist.parse(nodelist).expand()) {
            if (wanted.test(host)) {
                add(name, host, context, time);
            }
        }
    }

    private void add(String name, String host, JsonNode context, double time) {
        switch (name) {
            case "drain" -> drain(host, context, time);
            case "undrain" -> undrain(host, context, time);
            case "exclude" -> {
                endAll(host, "drained", time, context);
                begin(host, excluded(context), context, "reason", time);
            }
            case "shrink" -> begin(host, new Slot("lost", ""), context, "reason", time);
            case "include" -> include(host, context, time);
            case "offline" -> {
                endAll(host, "torpid", time, context);
                begin(host, new Slot("offline", ""), context, "cause", time);
            }
            case "torpid" -> begin(host, new Slot("torpid", ""), context, "cause", time);
            case "online", "lively" -> {
                endAll(host, "offline", time, context);
                endAll(host, "torpid", time, context);
            }
            default -> {}
        }
    }

    private static Slot excluded(JsonNode context) {
        boolean byConfig = context.path("kind").asText().equals(CONFIG);
        return new Slot("excluded", byConfig ? CONFIG : "");
    }

    /** Ends exclusions. The configuration ends only its own exclusions, an admin ends all others. */
    private void include(String host, JsonNode context, double time) {
        Slot slot = excluded(context);
        endOne(host, slot, context, time);
        if (slot.holder().isEmpty()) {
            endAll(host, "lost", time, context);
        }
    }

    private void drain(String host, JsonNode context, double time) {
        Slot slot = new Slot("drained", context.path("holder").asText(SHARED));
        Outage current = of(host).get(slot);
        int overwrite = context.path("overwrite").asInt();
        if (current == null) {
            begin(host, slot, context, "reason", time);
        } else if (overwrite == 2) {
            end(host, slot, current.ended(time, who(context), ""));
            begin(host, slot, context, "reason", time);
        } else if (overwrite == 1 || current.reason().isEmpty()) {
            of(host).put(slot, current.withReason(context.path("reason").asText(""), who(context)));
        }
    }

    private void undrain(String host, JsonNode context, double time) {
        String holder = context.path("holder").asText(SHARED);
        if (holder.equals(EVERYBODY)) {
            endAll(host, "drained", time, context);
            return;
        }
        Slot slot = new Slot("drained", holder);
        Outage current = of(host).get(slot);
        Outage interval = current == null ? Outage.open("drained", holder, "", 0, "") : current;
        end(
                host,
                slot,
                interval.ended(time, who(context), context.path("reason").asText("")));
    }

    /**
     * Applies a new R. New hosts that begin offline are offline from then on. For hosts that left R, only the changes that admins made
     * continue.
     */
    private void define(JsonNode context, double time) {
        JsonNode nodelist = context.path("R").path("execution").path("nodelist");
        if (nodelist.isMissingNode()) {
            return;
        }
        Set<String> next = new LinkedHashSet<>();
        for (JsonNode part : nodelist) {
            next.addAll(Hostlist.parse(part.asText()).expand());
        }
        for (String host : hosts) {
            if (!next.contains(host) && wanted.test(host)) {
                leave(host, context, time);
            }
        }
        boolean offline = context.path("initial").asText().equals("offline");
        for (String host : next) {
            if (!hosts.contains(host) && offline && wanted.test(host)) {
                of(host).put(new Slot("offline", ""), Outage.open("offline", "", "defined", time, ""));
            }
        }
        hosts = next;
    }

    private void leave(String host, JsonNode context, double time) {
        for (String kind : List.of("offline", "torpid", "lost")) {
            endAll(host, kind, time, context);
        }
        endOne(host, new Slot("excluded", CONFIG), context, time);
    }

    private Map<Slot, Outage> of(String host) {
        return open.computeIfAbsent(host, h -> new LinkedHashMap<>());
    }

    private void begin(String host, Slot slot, JsonNode context, String why, double time) {
        String reason = context.path(why).asText("");
        String holder = slot.kind().equals("drained") ? slot.holder() : "";
        of(host).putIfAbsent(slot, Outage.open(slot.kind(), holder, reason, time, who(context)));
    }

    private void endAll(String host, String kind, double time, JsonNode context) {
        for (Map.Entry<Slot, Outage> entry : List.copyOf(of(host).entrySet())) {
            if (entry.getKey().kind().equals(kind)) {
                String comment = context.path("reason").asText("");
                end(host, entry.getKey(), entry.getValue().ended(time, who(context), comment));
            }
        }
    }

    private void endOne(String host, Slot slot, JsonNode context, double time) {
        Outage current = of(host).get(slot);
        if (current != null) {
            end(
                    host,
                    slot,
                    current.ended(time, who(context), context.path("reason").asText("")));
        }
    }

    private void end(String host, Slot slot, Outage interval) {
        of(host).remove(slot);
        ended.computeIfAbsent(interval, i -> new ArrayList<>()).add(host);
    }

    private static String who(JsonNode context) {
        return context.path("user").asText("");
    }

    /** The time of the first known event; 0 when there is none. */
    double first() {
        return first;
    }

    /** All intervals by the time of their beginning, each with its hosts in the order in which they were named. */
    List<Map.Entry<Outage, List<String>>> intervals() {
        Map<Outage, List<String>> all = new LinkedHashMap<>();
        ended.forEach((interval, hosts) -> all.put(interval, new ArrayList<>(hosts)));
        open.forEach((host, slots) -> slots.values()
                .forEach(interval ->
                        all.computeIfAbsent(interval, i -> new ArrayList<>()).add(host)));
        List<Map.Entry<Outage, List<String>>> sorted = new ArrayList<>(all.entrySet());
        sorted.sort((a, b) -> Double.compare(a.getKey().from(), b.getKey().from()));
        return sorted;
    }
}
