package io.muster.daemon.service;

import io.muster.inventory.state.InventoryState;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The attributes that Flux clients query from a broker ({@code attr.get}), as far as they have a meaning in Muster. */
public final class Attributes {
    private final Map<String, String> fixed;

    private final Supplier<Map<String, String>> changing;

    Attributes(Map<String, String> fixed) {
        this(fixed, Map::of);
    }

    /**
     * @param fixed attributes that do not change while the daemon runs
     * @param changing returns the attributes that do
     */
    public Attributes(Map<String, String> fixed, Supplier<Map<String, String>> changing) {
        this.fixed = Map.copyOf(fixed);
        this.changing = changing;
    }

    /** Returns the name of the host on which the daemon runs. */
    String host() {
        return fixed.getOrDefault("hostname", "");
    }

    Map<String, String> of(InventoryState state) {
        Map<String, String> all = new TreeMap<>(fixed);
        all.putAll(changing.get());
        all.put("rank", "0");
        all.put("instance-level", "0");
        all.put("size", Integer.toString(state.resources().nodes()));
        all.put("hostlist", state.resources().hosts().toString());
        return all;
    }
}
