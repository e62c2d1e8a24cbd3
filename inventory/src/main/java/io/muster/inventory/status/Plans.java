package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The holds that are planned and have not begun, for documents. */
public final class Plans {
    private Plans() {}

    /** Returns the planned holds on hosts, the next one first, each with its hosts. */
    public static ArrayNode of(InventoryState state, Idset among, Predicate<Hold> wanted) {
        Map<Hold, Idset> plans = new LinkedHashMap<>();
        state.plans()
                .groups(among)
                .forEach((set, ranks) ->
                        set.holds().stream().filter(wanted).forEach(plan -> plans.merge(plan, ranks, Idset::union)));
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        plans.entrySet().stream()
                .sorted(Map.Entry.comparingByKey(Comparator.comparingDouble(Hold::from)))
                .forEach(plan -> {
                    Idset ranks = plan.getValue();
                    ObjectNode json = StateGroup.toJson(plan.getKey());
                    json.put("nnodes", ranks.size()).put("ranks", ranks.toString());
                    json.put("hosts", state.resources().hostsOf(ranks).toString());
                    all.add(json);
                });
        return all;
    }

    /** Returns holds of one host. */
    static ArrayNode of(@Nullable HoldSet set) {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        if (set != null) {
            set.holds().forEach(hold -> all.add(StateGroup.toJson(hold)));
        }
        return all;
    }
}
