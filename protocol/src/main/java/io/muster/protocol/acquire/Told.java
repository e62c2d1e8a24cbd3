package io.muster.protocol.acquire;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.SchedulerView;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one scheduler knows: the view that it was last told, and which ranks it may still be told of. That is all that a
 * stream remembers, however long it has not listened.
 *
 * @param offered the ranks of the first response that have not been shrunk away since; it never grows
 */
public record Told(SchedulerView view, Idset offered) {
    public static Told first(SchedulerView view) {
        return new Told(view, view.members());
    }

    /** What to tell it so that it knows {@code now}; null when it would be told nothing. */
    public @Nullable Next next(SchedulerView now) {
        Idset shrink = shrunk(now);
        Idset left = shrink.isEmpty() ? offered : offered.subtract(shrink);
        Idset up = now.up().subtract(view.up()).intersect(left);
        Idset down = view.up().subtract(now.up()).intersect(offered).union(shrink);
        SortedMap<String, Idset> add = grown(view.properties(), now.properties(), left);
        SortedMap<String, Idset> remove = grown(now.properties(), view.properties(), left);
        OptionalDouble expiration =
                view.expiration() == now.expiration() ? OptionalDouble.empty() : OptionalDouble.of(now.expiration());
        return Next.isEmpty(up, down, add, remove, expiration)
                ? null
                : new Next(up, down, shrink, add, remove, expiration);
    }

    /** What it knows after it was told {@code now}. */
    public Told after(SchedulerView now) {
        return new Told(now, offered.subtract(shrunk(now)));
    }

    /** A scheduler that is told to shrink its last rank wedges: it keeps one, and hears of that as down only. */
    private Idset shrunk(SchedulerView now) {
        Idset lost = now.lost().subtract(view.lost()).intersect(offered);
        return lost.isEmpty() || lost.size() < offered.size() ? lost : lost.without(lost.first());
    }

    private static SortedMap<String, Idset> grown(
            SortedMap<String, Idset> from, SortedMap<String, Idset> to, Idset within) {
        SortedMap<String, Idset> grown = new TreeMap<>();
        if (from == to) {
            return grown;
        }
        to.forEach((name, ranks) -> {
            Idset before = from.getOrDefault(name, Idset.EMPTY);
            Idset more =
                    before.equals(ranks) ? Idset.EMPTY : ranks.subtract(before).intersect(within);
            if (!more.isEmpty()) {
                grown.put(name, more);
            }
        });
        return grown;
    }
}
