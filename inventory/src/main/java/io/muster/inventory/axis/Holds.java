package io.muster.inventory.axis;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.IntervalConsumer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Holds by rank. One such table is the axis of holds: which ranks are kept from being scheduled, by which holders, and for which
 * reasons. Another one has the planned holds, which have not begun.
 */
public final class Holds {
    public static final Holds NONE = new Holds(Phase.PLACED, IdMap.empty(), Idset.EMPTY, Deadlines.NONE);

    /** No planned holds. */
    public static final Holds NO_PLANS = new Holds(Phase.PLANNED, IdMap.empty(), Idset.EMPTY, Deadlines.NONE);

    private final Phase phase;
    private final IdMap<HoldSet> byRank;
    private final Idset held;

    private final Deadlines deadlines;

    /** What the holds of a table have in common. */
    private enum Phase {
        PLACED,
        PLANNED;

        double deadline(Hold hold) {
            return this == PLANNED ? hold.from() : hold.deadline();
        }
    }

    private Holds(Phase phase, IdMap<HoldSet> byRank, Idset held, Deadlines deadlines) {
        this.phase = phase;
        this.byRank = byRank;
        this.held = held;
        this.deadlines = deadlines;
    }

    /** Returns this table with other holds. Creating many holds at once is cheaper than adding them one by one. */
    public Holds of(IdMap<HoldSet> other) {
        Map<Double, Idset.Builder> beginning = new TreeMap<>();
        other.forEach((first, last, set) -> collect(beginning, set, first, last));
        return new Holds(phase, other, other.keys(), reschedule(Deadlines.NONE, Map.of(), beginning));
    }

    public Idset held() {
        return held;
    }

    public @Nullable HoldSet on(int rank) {
        return byRank.get(rank);
    }

    /** Returns the ranks grouped by equal holds, lowest rank first. */
    public Map<HoldSet, Idset> groups() {
        return byRank.groups();
    }

    /** Returns the groups of these ranks. */
    public Map<HoldSet, Idset> groups(Idset ranks) {
        return byRank.groups(ranks);
    }

    /** Visits the intervals of equal holds inside {@code ranks}, in ascending order. */
    public void forEachIn(Idset ranks, IntervalConsumer<HoldSet> c) {
        byRank.forEachIn(ranks, c);
    }

    /** Returns the earliest time at which a placed hold or a claim ends by itself, or a planned hold begins; 0 if there is none. */
    public double nextDeadline() {
        return deadlines.earliest();
    }

    /**
     * Returns the ranks in {@code ranks} whose hold by {@code holder} satisfies {@code test}, which gets null for a rank
     * without such a hold.
     */
    public Idset matching(Idset ranks, String holder, Predicate<@Nullable Hold> test) {
        Idset.Builder found = Idset.builder();
        found.addAll(test.test(null) ? ranks.subtract(held) : Idset.EMPTY);
        byRank.forEachIn(ranks, (first, last, set) -> {
            if (test.test(set.of(holder))) {
                found.addRange(first, last);
            }
        });
        return found.build();
    }

    /** Returns the placed holds whose end, or that of a claim, has come by {@code now}, or the planned ones that begin, with their ranks. */
    public Map<Hold, Idset> due(double now) {
        Map<Hold, Idset.Builder> found = new LinkedHashMap<>();
        byRank.forEachIn(deadlines.until(now), (first, last, set) -> {
            for (Hold hold : set.holds()) {
                double deadline = phase.deadline(hold);
                if (deadline > 0 && deadline <= now) {
                    found.computeIfAbsent(hold, h -> Idset.builder()).addRange(first, last);
                }
            }
        });
        Map<Hold, Idset> due = new LinkedHashMap<>();
        found.forEach((hold, ranks) -> due.put(hold, ranks.build()));
        return due;
    }

    /**
     * Returns a copy in which {@code change} has been applied to the holds of each of {@code ranks}. The function is called
     * once for each interval of ranks with equal holds.
     */
    public Holds change(Idset ranks, UnaryOperator<@Nullable HoldSet> change) {
        Map<Double, Idset.Builder> ending = new TreeMap<>();
        byRank.forEachIn(ranks, (first, last, set) -> collect(ending, set, first, last));
        IdMap<HoldSet> changed = byRank.update(ranks, change);
        Map<Double, Idset.Builder> beginning = new TreeMap<>();
        Idset.Builder kept = Idset.builder();
        changed.forEachIn(ranks, (first, last, set) -> {
            kept.addRange(first, last);
            collect(beginning, set, first, last);
        });
        return new Holds(phase, changed, held(ranks, kept.build()), reschedule(deadlines, ending, beginning));
    }

    /**
     * Returns all held ranks after a change of {@code ranks}; {@code kept} are those that have a hold after the change. If these
     * are all of {@code ranks}, a union suffices, which copies the bitmap only once.
     */
    private Idset held(Idset ranks, Idset kept) {
        return kept.equals(ranks) ? held.union(ranks) : held.subtract(ranks).union(kept);
    }

    private void collect(Map<Double, Idset.Builder> into, HoldSet set, int first, int last) {
        for (Hold hold : set.holds()) {
            double deadline = phase.deadline(hold);
            if (deadline > 0) {
                into.computeIfAbsent(deadline, t -> Idset.builder()).addRange(first, last);
            }
        }
    }

    /**
     * Removes the deadlines in {@code ending} and adds the deadlines in {@code beginning}. A deadline that does not change
     * is in both.
     */
    private static Deadlines reschedule(
            Deadlines deadlines, Map<Double, Idset.Builder> ending, Map<Double, Idset.Builder> beginning) {
        Deadlines next = deadlines;
        for (Map.Entry<Double, Idset.Builder> e : ending.entrySet()) {
            next = next.without(e.getKey(), e.getValue().build());
        }
        for (Map.Entry<Double, Idset.Builder> e : beginning.entrySet()) {
            next = next.with(e.getKey(), e.getValue().build());
        }
        return next;
    }
}
