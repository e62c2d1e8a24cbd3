package io.muster.protocol.acquire;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.SchedulerView;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of one scheduler: the view that the last response to it was computed from, and the ranks that later updates
 * may name. A stream stores nothing else, so its memory does not grow while the scheduler does not read.
 *
 * @param offered ranks of the first response that have not been shrunk since; this set never grows
 */
public record SentView(SchedulerView view, Idset offered) {
    public static SentView first(SchedulerView view) {
        return new SentView(view, view.members());
    }

    /** Returns the update that takes the scheduler from {@link #view} to {@code now}; null if the update would be empty. */
    public @Nullable Next next(SchedulerView now) {
        Idset shrink = shrunk(now);
        Idset remaining = shrink.isEmpty() ? offered : offered.subtract(shrink);
        Idset up = now.up().subtract(view.up()).intersect(remaining);
        Idset down = view.up().subtract(now.up()).intersect(offered).union(shrink);
        SortedMap<String, Idset> add = new TreeMap<>();
        SortedMap<String, Idset> remove = new TreeMap<>();
        view.properties().forEachDifference(now.properties(), (name, before, after) -> {
            put(add, name, before, after, remaining);
            put(remove, name, after, before, remaining);
        });
        OptionalDouble expiration =
                view.expiration() == now.expiration() ? OptionalDouble.empty() : OptionalDouble.of(now.expiration());
        return Next.isEmpty(up, down, add, remove, expiration)
                ? null
                : new Next(up, down, shrink, add, remove, expiration);
    }

    /** Returns the scheduler's knowledge after an update to {@code now}. */
    public SentView after(SchedulerView now) {
        return new SentView(now, offered.subtract(shrunk(now)));
    }

    /**
     * Returns the ranks to shrink. A scheduler whose last rank is shrunk hangs, so one rank always stays and is only reported
     * as down.
     */
    private Idset shrunk(SchedulerView now) {
        Idset lost = now.lost().subtract(view.lost()).intersect(offered);
        return lost.isEmpty() || lost.size() < offered.size() ? lost : lost.without(lost.first());
    }

    /** Stores the ranks in {@code within} that only {@code to} has, if there are any; null stands for no ranks. */
    private static void put(
            SortedMap<String, Idset> gains, String name, @Nullable Idset from, @Nullable Idset to, Idset within) {
        Idset gained = to == null
                ? Idset.EMPTY
                : to.subtract(from == null ? Idset.EMPTY : from).intersect(within);
        if (!gained.isEmpty()) {
            gains.put(name, gained);
        }
    }
}
