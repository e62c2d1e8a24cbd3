package io.muster.it.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.protocol.acquire.First;
import io.muster.protocol.acquire.Next;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A scheduler's model of the inventory, built only from the responses that it was sent (RFC 28). Responses that break the protocol fail.
 */
final class Follower {
    private final Idset offered;
    private Idset up;
    private Idset gone = Idset.EMPTY;
    private final SortedMap<String, Idset> properties;
    private double expiration;
    private long updates;

    Follower(ObjectNode first) {
        First response = First.parse(first);
        offered = response.resources().ranks();
        up = response.up();
        properties = new TreeMap<>(response.resources().properties());
        expiration = response.resources().expiration();
    }

    synchronized void update(ObjectNode payload) {
        Next next = Next.parse(payload);
        assertThat(payload.path("up").asText())
                .as("up and down are disjoint as sent")
                .isEqualTo(next.up().toString());
        assertThat(offered.subtract(gone).containsAll(next.up().union(next.down())))
                .as("only ranks that were offered and not shrunk: %s", payload)
                .isTrue();
        assertThat(up.intersects(next.up()) || !up.containsAll(next.down().subtract(next.shrink())))
                .as("a change is told once: %s", payload)
                .isFalse();
        up = up.subtract(next.down()).union(next.up());
        gone = gone.union(next.shrink());
        next.propertyAdd().forEach((name, ranks) -> properties.merge(name, ranks, Idset::union));
        next.propertyRemove().forEach((name, ranks) -> remove(name, ranks));
        expiration = next.expiration().orElse(expiration);
        updates++;
    }

    private void remove(String name, Idset ranks) {
        Idset left = properties.getOrDefault(name, Idset.EMPTY).subtract(ranks);
        if (left.isEmpty()) {
            properties.remove(name);
        } else {
            properties.put(name, left);
        }
    }

    Idset offered() {
        return offered;
    }

    synchronized Idset up() {
        return up;
    }

    synchronized long updates() {
        return updates;
    }

    /** The scheduler's knowledge of the ranks of {@code slice}. */
    synchronized Slice.Seen of(Slice slice, String propertyPrefix, boolean ownsExpiration) {
        SortedMap<String, Idset> known = new TreeMap<>();
        properties.forEach((name, ranks) -> {
            if (name.startsWith(propertyPrefix)) {
                known.put(name, ranks);
            }
        });
        return new Slice.Seen(up.intersect(slice.ranks()), known, ownsExpiration ? expiration : 0);
    }
}
