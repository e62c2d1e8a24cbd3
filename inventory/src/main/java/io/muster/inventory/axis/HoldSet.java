package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The holds on one host, at most one for each holder, sorted by holder. A set is never empty; a host without holds has no set.
 */
public record HoldSet(List<Hold> holds) {
    public HoldSet {
        holds = List.copyOf(holds);
        if (holds.isEmpty()) {
            throw new IllegalArgumentException("a hold set has at least one hold");
        }
    }

    /** Reads an array of holds. */
    public static HoldSet read(Fields in, String key) {
        HoldSet set = null;
        for (Fields hold : in.list(key)) {
            set = with(set, Hold.read(hold));
        }
        if (set == null) {
            throw in.fault(key, "is empty");
        }
        return set;
    }

    /** Writes an array of holds. */
    public void write(JsonGenerator out, String key) throws IOException {
        out.writeArrayFieldStart(key);
        for (Hold hold : holds) {
            out.writeStartObject();
            hold.write(out);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    public @Nullable Hold of(String holder) {
        for (Hold hold : holds) {
            if (hold.holder().equals(holder)) {
                return hold;
            }
        }
        return null;
    }

    /** Returns the number of holds of one user. */
    public int countOf(Principal by) {
        int count = 0;
        for (Hold hold : holds) {
            count += hold.by().isSamePerson(by) ? 1 : 0;
        }
        return count;
    }

    /** Returns the oldest hold, which views with only one reason for each host show. */
    public Hold oldest() {
        Hold oldest = holds.get(0);
        for (Hold hold : holds) {
            if (hold.since() < oldest.since()) {
                oldest = hold;
            }
        }
        return oldest;
    }

    /** Returns {@code set} (or an empty set) with this hold, which replaces an earlier hold by the same holder. */
    public static HoldSet with(@Nullable HoldSet set, Hold hold) {
        if (set == null) {
            return new HoldSet(List.of(hold));
        }
        List<Hold> all = new ArrayList<>(set.holds);
        all.removeIf(h -> h.holder().equals(hold.holder()));
        all.add(hold);
        all.sort(Comparator.comparing(Hold::holder));
        return new HoldSet(all);
    }

    /** Returns the holds of both sets; where both have a hold by the same holder, the hold in {@code set} stays. */
    static @Nullable HoldSet union(@Nullable HoldSet set, @Nullable HoldSet other) {
        HoldSet all = other;
        for (Hold hold : set == null ? List.<Hold>of() : set.holds) {
            all = with(all, hold);
        }
        return all;
    }

    /** Returns {@code set} without the holds that match; null if none remain. */
    public static @Nullable HoldSet without(@Nullable HoldSet set, Predicate<Hold> removed) {
        if (set == null) {
            return null;
        }
        List<Hold> remaining = new ArrayList<>(set.holds);
        remaining.removeIf(removed);
        return remaining.isEmpty() ? null : remaining.size() == set.holds.size() ? set : new HoldSet(remaining);
    }

    // These methods are written out for speed, as Principal explains.

    @Override
    public boolean equals(@Nullable Object o) {
        return o instanceof HoldSet that && holds.equals(that.holds);
    }

    @Override
    public int hashCode() {
        return holds.hashCode();
    }
}
