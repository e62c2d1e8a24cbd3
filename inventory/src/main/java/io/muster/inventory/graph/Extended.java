package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The extended data of a pool (RFC 4): tags, the state and a scheduler's data.
 *
 * @param tags values by tag, "" for a tag without a value
 * @param state the state that a user set on the pool, or that its document gives; null if there is none
 * @param conditions the states of a node that users are shown: some of "lost", "excluded", "drained", "torpid", "available",
 *     "offline" and "unknown"; empty for any other pool
 * @param held what the holds on a node are for: a key and a value with "=" between them, such as "class=hardware"
 * @param scheduler data about the pool that a scheduler stored, kept unchanged
 */
public record Extended(
        SortedMap<String, String> tags,
        @Nullable String state,
        List<String> conditions,
        List<String> held,
        SortedMap<String, JsonNode> scheduler) {
    public static final String UP = "up";
    public static final String DOWN = "down";
    public static final String DRAINED = "drained";
    public static final String EXCLUDED = "excluded";

    /** The condition of a node that is up. */
    public static final String AVAILABLE = "available";

    /** Every state that users can set or are shown. A document may have others. */
    public static final List<String> STATES = List.of(
            UP, AVAILABLE, DOWN, "degraded", "failing", "unknown", DRAINED, EXCLUDED, "lost", "torpid", "offline");

    /** States in which nothing may be placed on a pool. Fluxion has one state for all of them. */
    private static final Set<String> UNUSABLE = Set.of(DOWN, DRAINED, EXCLUDED, "lost", "torpid", "offline");

    public static final Extended NONE = new Extended(new TreeMap<>(), null, List.of(), List.of(), new TreeMap<>());

    public Extended {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        conditions = List.copyOf(conditions);
        held = List.copyOf(held);
        scheduler = Collections.unmodifiableSortedMap(new TreeMap<>(scheduler));
    }

    static boolean isUnusable(@Nullable String state) {
        return state != null && UNUSABLE.contains(state);
    }

    static Extended orNone(@Nullable Extended extended) {
        return extended == null ? NONE : extended;
    }

    public Extended withTag(String key, String value) {
        return new Extended(with(tags, key, value), state, conditions, held, scheduler);
    }

    public Extended withState(@Nullable String newState) {
        return new Extended(tags, newState, conditions, held, scheduler);
    }

    public Extended withScheduler(String key, JsonNode value) {
        return new Extended(tags, state, conditions, held, with(scheduler, key, value));
    }

    /** Returns this data with one more condition. */
    public Extended withCondition(String condition) {
        List<String> all = new ArrayList<>(conditions);
        all.add(condition);
        return new Extended(tags, state, all, held, scheduler);
    }

    /** Returns this data with what the holds are for. */
    public Extended withHeld(List<String> purposes) {
        return new Extended(tags, state, conditions, purposes, scheduler);
    }

    /** Returns whether a hold has a value under a key that passes the test. */
    public boolean isHeldFor(String key, Predicate<String> test) {
        return held.stream()
                .anyMatch(word -> word.startsWith(key + "=") && test.test(word.substring(key.length() + 1)));
    }

    /** Returns whether anything may be placed on the pool, as far as this data says. */
    boolean isUsable() {
        return !isUnusable(state) && (conditions.isEmpty() || conditions.contains(AVAILABLE));
    }

    /** Returns whether the state or a condition passes the test. A node is also up or, without the condition "available", down. */
    public boolean hasState(Predicate<String> test) {
        boolean told = !conditions.isEmpty() && test.test(conditions.contains(AVAILABLE) ? UP : DOWN);
        return told
                || (state != null && test.test(state))
                || conditions.stream().anyMatch(test);
    }

    /** Returns the state or, if there is none, the first condition; null if there is neither. */
    @Nullable
    String word() {
        return state != null || conditions.isEmpty() ? state : conditions.get(0);
    }

    /** Returns the state and the conditions as users are shown them, separated by commas; "" if there are none. */
    String stateText() {
        List<String> all = new ArrayList<>(conditions);
        if (state != null) {
            all.add(state);
        }
        return String.join(", ", all);
    }

    private static <V> SortedMap<String, V> with(Map<String, V> map, String key, V value) {
        SortedMap<String, V> changed = new TreeMap<>(map);
        changed.put(key, value);
        return changed;
    }
}
