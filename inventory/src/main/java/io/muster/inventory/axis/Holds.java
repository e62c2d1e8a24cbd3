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

/** The axis of holds: which ranks are kept from being scheduled, by which holders, and why. */
public final class Holds {
    public static final Holds NONE = new Holds(IdMap.empty(), Idset.EMPTY, null);

    private final IdMap<HoldSet> byRank;
    private final Idset held;

    /**
     * Ranks by the time at which a hold on them ends by itself. The times are exact, so that a timer for the first never fires
     * early.
     */
    private final @Nullable Deadline deadlines;

    private Holds(IdMap<HoldSet> byRank, Idset held, @Nullable Deadline deadlines) {
        this.byRank = byRank;
        this.held = held;
        this.deadlines = deadlines;
    }

    /** Returns the holds in {@code byRank}. Creating many holds at once is cheaper than adding them one by one. */
    public static Holds of(IdMap<HoldSet> byRank) {
        Map<Double, Idset.Builder> beginning = new TreeMap<>();
        byRank.forEach((first, last, set) -> collect(beginning, set, first, last));
        return new Holds(byRank, byRank.keys(), reschedule(null, Map.of(), beginning));
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

    /** Visits the intervals of equal holds inside {@code ranks}, in ascending order. */
    public void forEachIn(Idset ranks, IntervalConsumer<HoldSet> c) {
        byRank.forEachIn(ranks, c);
    }

    /** Returns the earliest time at which a hold ends by itself; 0 if none will. */
    public double nextDeadline() {
        return deadlines == null ? 0 : deadlines.earliest();
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

    /** Returns the holds that have expired by {@code now}, with their ranks. */
    public Map<Hold, Idset> expired(double now) {
        Idset.Builder due = Idset.builder();
        Deadline.addUntil(deadlines, now, due);
        Map<Hold, Idset.Builder> found = new LinkedHashMap<>();
        byRank.forEachIn(due.build(), (first, last, set) -> {
            for (Hold hold : set.holds()) {
                if (hold.expiredAt(now)) {
                    found.computeIfAbsent(hold, h -> Idset.builder()).addRange(first, last);
                }
            }
        });
        Map<Hold, Idset> expired = new LinkedHashMap<>();
        found.forEach((hold, ranks) -> expired.put(hold, ranks.build()));
        return expired;
    }

    /**
     * Returns these holds after {@code change} of the holds on each rank; {@code change} is called once for each interval of
     * equal holds.
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
        return new Holds(changed, held(ranks, kept.build()), reschedule(deadlines, ending, beginning));
    }

    /**
     * Returns the held ranks after a change of {@code ranks}, of which {@code kept} are now held. If these are all of
     * {@code ranks}, a union suffices, which copies the bitmap only once.
     */
    private Idset held(Idset ranks, Idset kept) {
        return kept.equals(ranks) ? held.union(ranks) : held.subtract(ranks).union(kept);
    }

    public Holds clear(Idset ranks) {
        return held.intersects(ranks) ? change(ranks, set -> null) : this;
    }

    private static void collect(Map<Double, Idset.Builder> into, HoldSet set, int first, int last) {
        for (Hold hold : set.holds()) {
            if (hold.until() > 0) {
                into.computeIfAbsent(hold.until(), t -> Idset.builder()).addRange(first, last);
            }
        }
    }

    /** Removes the deadlines in {@code ending} and adds those in {@code beginning}. A deadline that stays the same is in both. */
    private static @Nullable Deadline reschedule(
            @Nullable Deadline deadlines, Map<Double, Idset.Builder> ending, Map<Double, Idset.Builder> beginning) {
        Deadline next = deadlines;
        for (Map.Entry<Double, Idset.Builder> e : ending.entrySet()) {
            Idset ranks = e.getValue().build();
            next = Deadline.update(next, e.getKey(), there -> there.subtract(ranks));
        }
        for (Map.Entry<Double, Idset.Builder> e : beginning.entrySet()) {
            Idset ranks = e.getValue().build();
            next = Deadline.update(next, e.getKey(), there -> there.union(ranks));
        }
        return next;
    }

    /**
     * A treap of ranks by time: an immutable search tree whose shape depends only on the times in it, so that one change costs
     * the logarithm of the number of times, in whatever order they were added.
     */
    private record Deadline(
            double at,
            Idset ranks,
            @Nullable Deadline before,
            @Nullable Deadline after) {
        double earliest() {
            Deadline first = this;
            while (first.before != null) {
                first = first.before;
            }
            return first.at;
        }

        /** Adds the ranks of every time up to and including {@code time}. */
        static void addUntil(@Nullable Deadline tree, double time, Idset.Builder found) {
            if (tree != null) {
                addUntil(tree.before, time, found);
                if (tree.at <= time) {
                    found.addAll(tree.ranks);
                    addUntil(tree.after, time, found);
                }
            }
        }

        static @Nullable Deadline update(@Nullable Deadline tree, double at, UnaryOperator<Idset> change) {
            if (tree == null) {
                return leaf(at, change);
            }
            if (tree.at == at) {
                Idset ranks = change.apply(tree.ranks);
                return ranks.isEmpty()
                        ? join(tree.before, tree.after)
                        : new Deadline(at, ranks, tree.before, tree.after);
            }
            return at < tree.at
                    ? balanced(tree, update(tree.before, at, change), tree.after)
                    : balanced(tree, tree.before, update(tree.after, at, change));
        }

        private static @Nullable Deadline leaf(double at, UnaryOperator<Idset> change) {
            Idset ranks = change.apply(Idset.EMPTY);
            return ranks.isEmpty() ? null : new Deadline(at, ranks, null, null);
        }

        /** Returns {@code root} over two new subtrees, of which at most one has a root that belongs above {@code root}. */
        private static Deadline balanced(Deadline root, @Nullable Deadline before, @Nullable Deadline after) {
            if (before != null && before.priority() > root.priority()) {
                Deadline lower = new Deadline(root.at, root.ranks, before.after, after);
                return new Deadline(before.at, before.ranks, before.before, lower);
            }
            if (after != null && after.priority() > root.priority()) {
                Deadline lower = new Deadline(root.at, root.ranks, before, after.before);
                return new Deadline(after.at, after.ranks, lower, after.after);
            }
            return new Deadline(root.at, root.ranks, before, after);
        }

        private static @Nullable Deadline join(@Nullable Deadline before, @Nullable Deadline after) {
            if (before == null || after == null) {
                return before == null ? after : before;
            }
            return before.priority() > after.priority()
                    ? new Deadline(before.at, before.ranks, before.before, join(before.after, after))
                    : new Deadline(after.at, after.ranks, join(before, after.before), after.after);
        }

        /** Returns a priority whose order is independent of the order of the times: a hash of the bits of the time. */
        private long priority() {
            long bits = Double.doubleToLongBits(at) * 0x9E3779B97F4A7C15L;
            return (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
        }
    }
}
