package io.muster.inventory.state;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The holds on one host, at most one for each holder, sorted by holder. Never empty: a host without holds has no set.
 */
public record HoldSet(List<Hold> holds) {
    public HoldSet {
        holds = List.copyOf(holds);
        if (holds.isEmpty()) {
            throw new IllegalArgumentException("a hold set has at least one hold");
        }
    }

    public @Nullable Hold of(String holder) {
        for (Hold hold : holds) {
            if (hold.holder().equals(holder)) {
                return hold;
            }
        }
        return null;
    }

    /** The hold that a single-reason view of the host shows: the oldest. */
    public Hold oldest() {
        Hold oldest = holds.get(0);
        for (Hold hold : holds) {
            if (hold.since() < oldest.since()) {
                oldest = hold;
            }
        }
        return oldest;
    }

    /** {@code set} (or none) with this hold added, replacing its holder's earlier one. */
    static HoldSet with(@Nullable HoldSet set, Hold hold) {
        if (set == null) {
            return new HoldSet(List.of(hold));
        }
        List<Hold> all = new ArrayList<>(set.holds);
        all.removeIf(h -> h.holder().equals(hold.holder()));
        all.add(hold);
        all.sort(Comparator.comparing(Hold::holder));
        return new HoldSet(all);
    }

    /** {@code set} with the holds of another; where both have one of the same holder, that of {@code set} stays. */
    static @Nullable HoldSet union(@Nullable HoldSet set, @Nullable HoldSet more) {
        HoldSet all = more;
        for (Hold hold : set == null ? List.<Hold>of() : set.holds) {
            all = with(all, hold);
        }
        return all;
    }

    /** {@code set} less the holds that match; null when none is left. */
    static @Nullable HoldSet without(@Nullable HoldSet set, Predicate<Hold> gone) {
        if (set == null) {
            return null;
        }
        List<Hold> left = new ArrayList<>(set.holds);
        left.removeIf(gone);
        return left.isEmpty() ? null : left.size() == set.holds.size() ? set : new HoldSet(left);
    }

    // Spelled out: see Principal.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof HoldSet that && holds.equals(that.holds);
    }

    @Override
    public int hashCode() {
        return holds.hashCode();
    }
}
