package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The resources of one rank: ids by child type, and the keys of its R_lite entry that RFC 20 does not define. A type without
 * ids is not stored, so that {@code {}}, {@code {"core":""}} and {@code {"gpu":""}} are equal.
 */
final class Contents {
    static final String CORE = "core";
    static final String GPU = "gpu";
    static final Contents EMPTY = new Contents(new TreeMap<>(), Map.of());

    /** The order of child types: cores first, as flux-core prints them. */
    private static final Comparator<String> CORE_FIRST =
            Comparator.comparing((String type) -> !type.equals(CORE)).thenComparing(Comparator.naturalOrder());

    private final SortedMap<String, Idset> children;
    private final Map<String, JsonNode> other;
    private final int hash;

    private Contents(SortedMap<String, Idset> children, Map<String, JsonNode> other) {
        this.children = Collections.unmodifiableSortedMap(children);
        this.other = Collections.unmodifiableMap(other);
        this.hash = 31 * children.hashCode() + other.hashCode();
    }

    static Contents of(Map<String, Idset> children, Map<String, JsonNode> other) {
        SortedMap<String, Idset> held = new TreeMap<>(CORE_FIRST);
        children.forEach((type, ids) -> {
            if (!ids.isEmpty()) {
                held.put(type, ids);
            }
        });
        return new Contents(held, new LinkedHashMap<>(other));
    }

    SortedMap<String, Idset> children() {
        return children;
    }

    Map<String, JsonNode> other() {
        return other;
    }

    Idset ids(String type) {
        return children.getOrDefault(type, Idset.EMPTY);
    }

    boolean isEmpty() {
        return children.isEmpty();
    }

    Contents union(Contents that) {
        return merge(that, Idset::union);
    }

    Contents intersect(Contents that) {
        return merge(that, Idset::intersect);
    }

    Contents subtract(Contents that) {
        return merge(that, Idset::subtract);
    }

    private Contents merge(Contents that, BinaryOperator<Idset> rule) {
        Map<String, Idset> merged = new LinkedHashMap<>();
        children.forEach((type, ids) -> merged.put(type, rule.apply(ids, that.ids(type))));
        that.children.forEach((type, ids) -> merged.computeIfAbsent(type, t -> rule.apply(Idset.EMPTY, ids)));
        Map<String, JsonNode> keys = new LinkedHashMap<>(that.other);
        keys.putAll(other);
        return of(merged, keys);
    }

    /**
     * Returns these contents with ids numbered from 0. GPU ids stay, because a job addresses GPUs by the numbers of the
     * driver.
     */
    Contents renumber() {
        Map<String, Idset> renumbered = new LinkedHashMap<>();
        children.forEach((type, ids) -> renumbered.put(type, type.equals(GPU) ? ids : Idset.range(0, ids.size() - 1)));
        return of(renumbered, other);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof Contents that
                && hash == that.hash
                && children.equals(that.children)
                && other.equals(that.other);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /** Returns the text that flux-core prints: {@code core[0-3],gpu0}. */
    @Override
    public String toString() {
        return children.entrySet().stream()
                .map(child -> child.getKey() + Group.bracketed(child.getValue()))
                .collect(Collectors.joining(","));
    }
}
