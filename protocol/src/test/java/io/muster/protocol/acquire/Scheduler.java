package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A deployed scheduler's treatment of acquire responses, rank by rank: up, then down, then shrink, properties and expiration.
 * This class also fails on everything that has ever made a deployed scheduler fail. Its only input is the bytes that it is
 * sent.
 */
final class Scheduler {
    final Set<Integer> ranks = new TreeSet<>();
    final Set<Integer> up = new TreeSet<>();
    final Set<Integer> shrunk = new TreeSet<>();
    final SortedMap<String, Set<Integer>> properties = new TreeMap<>();
    double expiration;

    Scheduler(First first) {
        first.resources().ranks().forEach(ranks::add);
        first.up().forEach(up::add);
        first.resources().properties().forEach((name, has) -> {
            Set<Integer> members = new TreeSet<>();
            has.forEach(members::add);
            properties.put(name, members);
        });
        expiration = first.resources().expiration();
        assertThat(ranks).containsAll(up);
    }

    void hear(Bytes payload) throws ProtocolException {
        ObjectNode json = Json.parse(payload);
        assertThat(json).isNotEmpty();
        Next next = Next.parse(json);
        assertThat(Json.encode(next.toJson())).as("nothing had to be mended").isEqualTo(payload);
        next.up().forEach(rank -> {
            assertThat(shrunk).doesNotContain(rank);
            assertThat(up.add(rank)).as("rank %s was up", rank).isTrue();
        });
        next.down().forEach(rank -> {
            assertThat(shrunk).doesNotContain(rank);
            assertThat(up.remove(rank) || next.shrink().contains(rank))
                    .as("rank %s was down", rank)
                    .isTrue();
        });
        next.shrink().forEach(rank -> assertThat(shrunk.add(rank)).isTrue());
        next.propertyAdd().forEach(this::add);
        next.propertyRemove().forEach(this::remove);
        next.expiration().ifPresent(seconds -> {
            assertThat(seconds).isNotEqualTo(expiration);
            expiration = seconds;
        });
        assertThat(ranks).containsAll(up).containsAll(shrunk);
        assertThat(shrunk).as("the last rank stays").hasSizeLessThan(Math.max(1, ranks.size()));
    }

    private void add(String name, Idset gained) {
        Set<Integer> members = properties.computeIfAbsent(name, n -> new TreeSet<>());
        gained.forEach(rank -> {
            assertThat(ranks).contains(rank);
            assertThat(shrunk).doesNotContain(rank);
            assertThat(members.add(rank)).as("rank %s had %s", rank, name).isTrue();
        });
    }

    private void remove(String name, Idset lost) {
        lost.forEach(rank -> assertThat(properties.getOrDefault(name, Set.of()).remove(rank))
                .as("rank %s had no %s", rank, name)
                .isTrue());
    }

    /** Returns the properties of the ranks that still exist. */
    SortedMap<String, Set<Integer>> properties() {
        SortedMap<String, Set<Integer>> left = new TreeMap<>();
        properties.forEach((name, members) -> {
            Set<Integer> there = new TreeSet<>(members);
            there.removeAll(shrunk);
            if (!there.isEmpty()) {
                left.put(name, there);
            }
        });
        return left;
    }
}
