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
 * @param same the ranks that the relay's own stream was offered with the same host and contents as the scheduler
 */
public record HeldView(ResourceSet offered, SentView sent, Idset same) {
    /** Returns the view after the first response, which the relay passes on unchanged. */
    public static HeldView first(First first) {
        ResourceSet offered = first.resources();
        return new HeldView(offered, SentView.first(view(offered, first.up(), Idset.EMPTY)), offered.ranks());
    }

    /**
     * The update for the scheduler, and the view after it.
     *
     * @param update null if no update is necessary
     */
    public record Step(@Nullable Next update, HeldView after) {}

    /** Returns the step for an update on the relay's stream. What is said about ranks that are other hosts is not for the scheduler. */
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
        return step(
                new SchedulerView(
                        before.members(),
                        before.up().union(next.up().intersect(same)).subtract(next.down()),
                        before.lost().union(next.shrink().intersect(same)),
                        properties,
                        next.expiration().orElse(before.expiration())),
                same);
    }

    /**
     * Returns the step for a new first response. If a rank has another host or other contents now, or is not offered any more, the update
     * reports the rank as down, because RFC 28 has no other way to report this.
     */
    public Step again(First first) {
        Idset kept = unchanged(first.resources());
        SchedulerView view =
                view(first.resources(), first.up().intersect(kept), sent.view().lost());
        return step(
                new SchedulerView(sent.view().members(), view.up(), view.lost(), view.properties(), view.expiration()),
                kept);
    }

    private Step step(SchedulerView now, Idset unchanged) {
        return new Step(sent.next(now), new HeldView(offered, sent.after(now), unchanged));
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
        Idset alike = Idset.EMPTY;
        for (Group before : offered.groups()) {
            for (Group after : now.groups()) {
                if (before.children().equals(after.children())) {
                    alike = alike.union(before.ranks().intersect(after.ranks()));
                }
            }
        }
        if (offered.ranks().equals(now.ranks()) && offered.hosts().equals(now.hosts())) {
            return alike;
        }
        Idset.Builder kept = Idset.builder();
        alike.forEach(rank -> {
            if (offered.hostOf(rank).equals(now.hostOf(rank))) {
                kept.add(rank);
            }
        });
        return kept.build();
    }
}
