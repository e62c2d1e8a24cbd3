package io.muster.daemon.service;

import io.muster.inventory.state.InventoryState;
import java.util.Map;
import java.util.TreeMap;

/** The attributes that Flux clients query from a broker ({@code attr.get}), as far as they have a meaning in Muster. */
public final class Attributes {
    private final Map<String, String> fixed;

    /** @param fixed attributes that do not change while the daemon runs */
    public Attributes(Map<String, String> fixed) {
        this.fixed = Map.copyOf(fixed);
    }

    Map<String, String> of(InventoryState state) {
        Map<String, String> all = new TreeMap<>(fixed);
        all.put("rank", "0");
        all.put("instance-level", "0");
        all.put("size", Integer.toString(state.resources().nodes()));
        all.put("hostlist", state.resources().hosts().toString());
        return all;
    }
}
