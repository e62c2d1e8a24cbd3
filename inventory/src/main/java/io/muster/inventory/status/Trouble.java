package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One thing that keeps hosts from being used: a hold, an exclusion, a loss, or that they are offline. Hosts may have several.
 *
 * @param since seconds since the epoch; 0 if it is not known
 * @param until when a hold ends by itself, in seconds since the epoch; 0 for never
 * @param holder the holder of a hold; "" for the others
 */
record Trouble(String state, double since, double until, String holder, String by, String reason) {
    /** Returns all troubles with the ranks that have them. */
    static Map<Trouble, Idset> of(List<StateGroup> groups) {
        Map<Trouble, Idset> all = new LinkedHashMap<>();
        for (StateGroup group : groups) {
            String word = group.state().word();
            if (group.holds() != null) {
                group.holds().holds().forEach(hold -> {
                    String reason = text(hold.reason());
                    String by = hold.by().names();
                    add(all, new Trouble(word, hold.since(), hold.until(), hold.holder(), by, reason), group);
                });
            }
            if (group.absence() != null) {
                String reason = text(group.absence().reason());
                String by = group.absence().by().names();
                add(all, new Trouble(word, group.absence().since(), 0, "", by, reason), group);
            } else if (group.lapsed() != null) {
                add(
                        all,
                        new Trouble(HostState.UNKNOWN.word(), group.lapsed().lapsed(), 0, "", "", group.reason()),
                        group);
            } else if (group.report() != null) {
                add(
                        all,
                        new Trouble(
                                HostState.OFFLINE.word(),
                                group.report().since(),
                                0,
                                "",
                                "",
                                group.report().reason()),
                        group);
            }
        }
        return all;
    }

    private static String text(@Nullable String reason) {
        return reason == null ? "" : reason;
    }

    private static void add(Map<Trouble, Idset> all, Trouble trouble, StateGroup group) {
        all.merge(trouble, group.ranks(), Idset::union);
    }

    /** Returns the troubles that began at {@code since} or later, the last first. */
    static List<Map.Entry<Trouble, Idset>> newest(Map<Trouble, Idset> all, double since) {
        return sorted(
                all,
                trouble -> trouble.since > 0 && trouble.since >= since,
                Comparator.comparing(trouble -> -trouble.since));
    }

    /** Returns the holds and the offline hosts, the oldest first. */
    static List<Map.Entry<Trouble, Idset>> oldest(Map<Trouble, Idset> all) {
        return sorted(
                all,
                trouble -> !trouble.holder.isEmpty() || trouble.state.equals(HostState.OFFLINE.word()),
                Comparator.comparing(Trouble::since));
    }

    /** Returns the holds that end by themselves, the next one first. */
    static List<Map.Entry<Trouble, Idset>> ending(Map<Trouble, Idset> all) {
        return sorted(all, trouble -> trouble.until > 0, Comparator.comparing(Trouble::until));
    }

    private static List<Map.Entry<Trouble, Idset>> sorted(
            Map<Trouble, Idset> all, Predicate<Trouble> kept, Comparator<Trouble> order) {
        return all.entrySet().stream()
                .filter(entry -> kept.test(entry.getKey()))
                .sorted(Map.Entry.comparingByKey(order))
                .toList();
    }

    ObjectNode toJson(ResourceSet resources, Idset ranks) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("state", state);
        json.put("since", since <= 0 ? null : Times.rfc3339(since));
        json.put("until", until <= 0 ? null : Times.rfc3339(until));
        json.put("holder", holder).put("by", by).put("reason", reason);
        json.put("nnodes", ranks.size());
        return json.put("hosts", resources.hostsOf(ranks).toString());
    }
}
