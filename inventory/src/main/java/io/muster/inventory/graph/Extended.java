package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The extended data of a pool (RFC 4): tags, the state and a scheduler's data.
 *
 * @param tags values by tag, "" for a tag without a value
 * @param state "up", "down" or "drained", for example; null if unknown
 * @param scheduler data about the pool that a scheduler stored, kept unchanged
 */
public record Extended(
        SortedMap<String, String> tags, @Nullable String state, SortedMap<String, JsonNode> scheduler) {
    public static final String UP = "up";
    public static final String DOWN = "down";
    public static final String DRAINED = "drained";
    public static final String EXCLUDED = "excluded";

    /** States in which nothing may be placed on a pool. Fluxion has one state for all of them. */
    private static final Set<String> UNUSABLE = Set.of(DOWN, DRAINED, EXCLUDED);

    public static final Extended NONE = new Extended(new TreeMap<>(), null, new TreeMap<>());

    public Extended {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        scheduler = Collections.unmodifiableSortedMap(new TreeMap<>(scheduler));
    }

    static boolean isUnusable(@Nullable String state) {
        return state != null && UNUSABLE.contains(state);
    }

    static Extended orNone(@Nullable Extended extended) {
        return extended == null ? NONE : extended;
    }

    public Extended withTag(String key, String value) {
        return new Extended(with(tags, key, value), state, scheduler);
    }

    public Extended withState(@Nullable String newState) {
        return new Extended(tags, newState, scheduler);
    }

    public Extended withScheduler(String key, JsonNode value) {
        return new Extended(tags, state, with(scheduler, key, value));
    }

    private static <V> SortedMap<String, V> with(Map<String, V> map, String key, V value) {
        SortedMap<String, V> changed = new TreeMap<>(map);
        changed.put(key, value);
        return changed;
    }
}
