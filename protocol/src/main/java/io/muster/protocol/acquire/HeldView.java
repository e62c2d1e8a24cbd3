package io.muster.protocol.acquire;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.SchedulerView;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The state of the stream from a relay to a scheduler behind it. This stream lasts as long as the scheduler. The relay's own stream from
 * the daemon may end and begin again with a complete first response; this class then computes the update for the scheduler.
 *
 * @param offered R of the scheduler's first response
 * @param sent the scheduler's knowledge after the last response that it was sent
 */
public record HeldView(ResourceSet offered, SentView sent) {
    /** Returns the view after the first response, which the relay passes on unchanged. */
    public static HeldView first(First first) {
        return new HeldView(first.resources(), SentView.first(view(first.resources(), first.up(), Idset.EMPTY)));
    }

    /**
     * The update for the scheduler, and the view after it.
     *
     * @param update null if no update is necessary
     */
    public record Step(@Nullable Next update, HeldView after) {}

    /** Returns the step for an update on the relay's stream. */
    public Step next(Next next) {
        SchedulerView before = sent.view();
        SortedTree<String, Idset> properties = before.properties();
        for (Map.Entry<String, Idset> added : next.propertyAdd().entrySet()) {
            properties = with(
                    properties,
                    added.getKey(),
                    ranksOf(properties, added.getKey()).union(added.getValue()));
        }
        for (Map.Entry<String, Idset> removed : next.propertyRemove().entrySet()) {
            properties = with(
                    properties,
                    removed.getKey(),
                    ranksOf(properties, removed.getKey()).subtract(removed.getValue()));
        }
        return step(new SchedulerView(
                before.members(),
                before.up().union(next.up()).subtract(next.down()),
                before.lost().union(next.shrink()),
                properties,
                next.expiration().orElse(before.expiration())));
    }

    /**
     * Returns the step for a new first response. If a rank has another host or other contents now, or is not offered any more, the update
     * reports the rank as down, because RFC 28 has no other way to report this.
     */
    public Step again(First first) {
        Idset same = unchanged(first.resources());
        SchedulerView view =
                view(first.resources(), first.up().intersect(same), sent.view().lost());
        return step(
                new SchedulerView(sent.view().members(), view.up(), view.lost(), view.properties(), view.expiration()));
    }

    private Step step(SchedulerView now) {
        return new Step(sent.next(now), new HeldView(offered, sent.after(now)));
    }

    private static SchedulerView view(ResourceSet resources, Idset up, Idset lost) {
        return new SchedulerView(resources.ranks(), up, lost, resources.properties(), resources.expiration());
    }

    private static Idset ranksOf(SortedTree<String, Idset> properties, String name) {
        Idset ranks = properties.get(name);
        return ranks == null ? Idset.EMPTY : ranks;
    }

    private static SortedTree<String, Idset> with(SortedTree<String, Idset> properties, String name, Idset ranks) {
        return ranks.isEmpty() ? properties.without(name) : properties.with(name, ranks);
    }

    /** Returns the ranks that have the same host and the same contents in {@code offered} and in {@code now}. */
    private Idset unchanged(ResourceSet now) {
        Idset same = Idset.EMPTY;
        for (Group before : offered.groups()) {
            for (Group after : now.groups()) {
                if (before.children().equals(after.children())) {
                    same = same.union(before.ranks().intersect(after.ranks()));
                }
            }
        }
        if (offered.ranks().equals(now.ranks()) && offered.hosts().equals(now.hosts())) {
            return same;
        }
        Idset.Builder kept = Idset.builder();
        same.forEach(rank -> {
            if (offered.hostOf(rank).equals(now.hostOf(rank))) {
                kept.add(rank);
            }
        });
        return kept.build();
    }
}
