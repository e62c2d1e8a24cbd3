package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The units of each type that one copy of a list of requests takes. A list has a demand only if it is flat: none of the
 * requests is a structure.
 */
final class Demand {
    /**
     * An amount, counted in the base unit {@code base}. Every request for one type has the same base unit ({@link
     * Units#fault}).
     */
    record Amount(String base, long amount) {}

    private final SortedMap<String, Amount> amounts = new TreeMap<>();

    private Demand() {}

    /**
     * Returns the demand of {@code list}, or null if a vertex of the list is not a pool in {@code host}, or has children and
     * is no slot.
     */
    static @Nullable Demand flat(List<Resource> list, VertexKind host) {
        Demand demand = new Demand();
        return demand.add(list, 1, type -> host.isPool(type) || !host.types().contains(type)) ? demand : null;
    }

    /** Returns the demand of a list that is known to be flat in every host that matters. */
    static Demand all(List<Resource> list) {
        Demand demand = new Demand();
        demand.add(list, 1, type -> true);
        return demand;
    }

    /** Returns the demand of a single unit of {@code leaf}. */
    static Demand one(Resource leaf) {
        Demand demand = new Demand();
        demand.add(leaf, 1);
        return demand;
    }

    /**
     * Returns the units of every leaf of {@code list}, however deep. Any match needs at least these units, for any structure
     * above the leaves.
     */
    static Demand leaves(List<Resource> list, VertexKind host) {
        Demand demand = new Demand();
        demand.addLeaves(list, 1, host);
        return demand;
    }

    private boolean add(List<Resource> list, long times, Predicate<String> isPool) {
        for (Resource r : list) {
            long count = Fit.times(times, r.count().min());
            if (r.isSlot()) {
                if (!add(r.with(), count, isPool)) {
                    return false;
                }
            } else if (!r.with().isEmpty() || !isPool.test(r.type())) {
                return false;
            } else {
                add(r, count);
            }
        }
        return true;
    }

    private void addLeaves(List<Resource> list, long times, VertexKind host) {
        for (Resource r : list) {
            long count = Fit.times(times, r.count().min());
            if (!r.with().isEmpty()) {
                addLeaves(r.with(), count, host);
            } else if (host.isPool(r.type()) || !host.types().contains(r.type())) {
                add(r, count);
            }
        }
    }

    private void add(Resource r, long count) {
        String unit = Units.of(r);
        Amount more = new Amount(Units.base(unit), Fit.times(count, Units.factor(unit)));
        amounts.merge(r.type(), more, (a, b) -> new Amount(a.base(), Math.min(Fit.MANY, a.amount() + b.amount())));
    }

    Map<String, Amount> amounts() {
        return amounts;
    }

    /** Returns how many copies of this demand {@code host} can provide; {@link Fit#MANY} if the demand is empty. */
    long copies(VertexKind host) {
        long copies = Fit.MANY;
        for (Map.Entry<String, Amount> e : amounts.entrySet()) {
            copies = Math.min(
                    copies,
                    host.units(e.getKey(), e.getValue().base()) / e.getValue().amount());
        }
        return copies;
    }
}
