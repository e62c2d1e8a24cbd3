package io.muster.inventory.idset;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map from ids to values, stored as maximal intervals of equal values in a balanced tree. Versions of a map share
 * the parts of the tree in which they do not differ: changing m of n intervals costs O(m log n), independent of the number of
 * ids.
 */
public final class IdMap<V> {
    private static final IdMap<?> EMPTY = new IdMap<>(null);

    private final @Nullable Interval<V> root;

    private IdMap(@Nullable Interval<V> root) {
        this.root = root;
    }

    @SuppressWarnings("unchecked")
    public static <V> IdMap<V> empty() {
        return (IdMap<V>) EMPTY;
    }

    public @Nullable V get(int id) {
        Interval<V> at = root;
        while (at != null && (id < at.first || id > at.last)) {
            at = id < at.first ? at.left : at.right;
        }
        return at == null ? null : at.value;
    }

    public boolean isEmpty() {
        return root == null;
    }

    public Idset keys() {
        Idset.Builder keys = Idset.builder();
        forEach((first, last, value) -> keys.addRange(first, last));
        return keys.build();
    }

    public IdMap<V> put(Idset ids, V value) {
        return update(ids, old -> value);
    }

    public IdMap<V> remove(Idset ids) {
        return update(ids, old -> null);
    }

    /**
     * Returns a map in which the value of every id in {@code ids} is replaced by the result of {@code f} for this value.
     *
     * @param f called once for each interval of equal values and, with null, once for each gap; if it returns null, the ids
     *     are removed
     */
    public IdMap<V> update(Idset ids, UnaryOperator<@Nullable V> f) {
        if (ids.isEmpty()) {
            return this;
        }
        Interval<V> updated = Interval.update(root, Ranges.of(ids), f);
        return updated == root ? this : new IdMap<>(updated);
    }

    public void forEach(IntervalConsumer<V> c) {
        Interval.forEach(root, c);
    }

    /** Visits the intervals as {@link #forEach} does, but only the parts that are inside {@code ids}. */
    public void forEachIn(Idset ids, IntervalConsumer<V> c) {
        ids.forEachRange((first, last) -> Interval.forEachWithin(root, first, last, c));
    }

    /** Returns the values with the ids that have them, in the order of the lowest id. */
    public Map<V, Idset> groups() {
        return groups(this::forEach);
    }

    /** Returns the values of {@code ids} as {@link #groups()} does. */
    public Map<V, Idset> groups(Idset ids) {
        return groups(c -> forEachIn(ids, c));
    }

    private static <V> Map<V, Idset> groups(Consumer<IntervalConsumer<V>> intervals) {
        Map<V, Idset.Builder> builders = new LinkedHashMap<>();
        intervals.accept((first, last, value) ->
                builders.computeIfAbsent(value, v -> Idset.builder()).addRange(first, last));
        Map<V, Idset> groups = new LinkedHashMap<>();
        builders.forEach((value, ids) -> groups.put(value, ids.build()));
        return groups;
    }

    /** Returns the height of the tree, which tests check. */
    int height() {
        return Interval.height(root);
    }

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof IdMap<?> other && groups().equals(other.groups());
    }

    @Override
    public int hashCode() {
        return groups().hashCode();
    }

    /** Returns text like "{0-3=up, 7=down}". */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        forEach((first, last, value) -> text.append(text.length() > 1 ? ", " : "")
                .append(Idset.range(first, last))
                .append('=')
                .append(value));
        return text.append('}').toString();
    }
}
