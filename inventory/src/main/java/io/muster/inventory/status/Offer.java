package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.Queues;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The resources that schedulers may use, as {@code flux resource list} shows them: free, allocated and down.
 *
 * @param all the ranks that are neither excluded nor lost
 * @param up the ranks of {@code all} that are up
 * @param allocated the ranks of {@code all} that jobs use, as far as it is known
 */
public record Offer(ResourceSet resources, Idset all, Idset up, Idset allocated) {
    private static final List<String> EACH = List.of("free", "allocated", "down");

    public static Offer of(InventoryState state, Idset allocated) {
        Idset all = state.members();
        return new Offer(state.resources(), all, state.view().up().intersect(all), allocated.intersect(all));
    }

    /**
     * Reads names of states: free, allocated and down are states; up stands for free and allocated, all stands for all three.
     *
     * @param text null for all
     * @throws IllegalArgumentException naming a word that is no state
     */
    public static List<String> states(@Nullable String text) {
        List<String> states = text == null || text.equals("all") ? EACH : List.of(text.split(","));
        for (String state : states) {
            if (!EACH.contains(state) && !state.equals("up")) {
                throw new IllegalArgumentException(
                        "there is no state " + state + ": the states are free, allocated, down, up and all");
            }
        }
        return states;
    }

    /** Returns whether a text names states of an offer, and not those of {@link StateFilter}. */
    public static boolean isOfOffer(@Nullable String text) {
        return text != null && List.of(text.split(",")).stream().anyMatch(List.of("free", "down", "up")::contains);
    }

    public Idset in(List<String> states) {
        return Idset.unionOf(states.stream().map(this::in));
    }

    private Idset in(String state) {
        return switch (state) {
            case "down" -> all.subtract(up).subtract(allocated);
            case "allocated" -> allocated;
            case "up" -> up;
            default -> up.subtract(allocated);
        };
    }

    /**
     * Returns the groups of hosts with the same state and properties.
     *
     * @param wanted the queues to name; empty for all except virtual ones
     * @param rlist whether each group has its resources in short form
     */
    public ArrayNode groups(
            List<String> states, Idset among, Queues queues, List<String> wanted, boolean expand, boolean rlist) {
        ArrayNode groups = JsonNodeFactory.instance.arrayNode();
        for (String state : states) {
            Idset ranks = in(state).intersect(among);
            for (Idset alike : List.of(ranks.intersect(up), ranks.subtract(up))) {
                PropertyGroups.of(resources, alike).forEach((properties, some) -> {
                    ObjectNode group = counted(groups.addObject().put("state", state), resources, some);
                    group.put("up", up.contains(some.first())).put("ranks", some.toString());
                    group.put("hosts", resources.hostsOf(some).toString());
                    if (expand) {
                        resources.hostsOf(some).expand().forEach(group.putArray("hostnames")::add);
                    }
                    if (rlist) {
                        group.put("rlist", resources.keep(some).shortForm());
                    }
                    properties.forEach(group.putArray("properties")::add);
                    queues.of(properties, wanted).forEach(group.putArray("queues")::add);
                });
            }
        }
        return groups;
    }

    /** Adds the numbers of nodes, cores and GPUs. */
    public static ObjectNode counted(ObjectNode json, ResourceSet resources, Idset ranks) {
        return json.put("nnodes", ranks.size())
                .put("ncores", resources.count("core", ranks))
                .put("ngpus", resources.count("gpu", ranks));
    }

    /** Returns each property with the selected hosts that have it. */
    public static ArrayNode properties(ResourceSet resources, Idset among) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        for (Map.Entry<String, Idset> property : resources.properties().entrySet()) {
            Idset ranks = property.getValue().intersect(among);
            ObjectNode json = all.addObject().put("name", property.getKey()).put("nnodes", ranks.size());
            json.put("ranks", ranks.toString());
            json.put("hosts", resources.hostsOf(ranks).toString());
        }
        return all;
    }
}
