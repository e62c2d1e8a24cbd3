package io.muster.it.system;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.admin.Status;
import java.util.Collections;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state of the ranks that belong to one admin: a model that shares nothing with the daemon's rules except their names. An admin's
 * changes take effect in the order in which they were sent. So after a crash its slice must be in one of the states that it went through:
 * with all answered changes, and perhaps some unanswered ones.
 *
 * @param reasons reasons of the drained ranks; each reason is used once, so that a state identifies the change that led to it
 * @param properties ranks by property
 */
record Slice(
        Idset ranks,
        SortedMap<Integer, String> reasons,
        Idset excluded,
        Idset offline,
        SortedMap<String, Idset> properties,
        double expiration) {

    Slice {
        reasons = Collections.unmodifiableSortedMap(reasons);
        properties = Collections.unmodifiableSortedMap(properties);
    }

    /** A new slice: all ranks online, nothing held. */
    static Slice of(Idset ranks) {
        return new Slice(ranks, new TreeMap<>(), Idset.EMPTY, Idset.EMPTY, new TreeMap<>(), 0);
    }

    /** The part of the daemon's answers that concerns {@code ranks}. */
    static Slice observed(Idset ranks, String propertyPrefix, boolean ownsExpiration, Status status, ResourceSet r) {
        SortedMap<Integer, String> reasons = new TreeMap<>();
        for (Map.Entry<Status.Reason, Idset> group : status.drain().entrySet()) {
            group.getValue()
                    .intersect(ranks)
                    .forEach(rank -> reasons.put(rank, group.getKey().reason()));
        }
        SortedMap<String, Idset> properties = new TreeMap<>();
        r.properties().forEach((name, where) -> {
            if (name.startsWith(propertyPrefix)) {
                properties.put(name, where);
            }
        });
        return new Slice(
                ranks,
                reasons,
                status.exclude().intersect(ranks),
                status.offline().intersect(ranks),
                properties,
                ownsExpiration ? r.expiration() : 0);
    }

    Idset drained() {
        Idset.Builder builder = Idset.builder();
        reasons.keySet().forEach(builder::add);
        return builder.build();
    }

    Idset up() {
        return ranks.subtract(excluded).subtract(offline).subtract(drained());
    }

    /** The knowledge of a scheduler that was offered {@code offered}. */
    Seen seenBy(Idset offered) {
        SortedMap<String, Idset> known = new TreeMap<>();
        properties.forEach((name, where) -> {
            if (where.intersects(offered)) {
                known.put(name, where.intersect(offered));
            }
        });
        return new Seen(up().intersect(offered), known, expiration);
    }

    record Seen(Idset up, SortedMap<String, Idset> properties, double expiration) {}

    /** A request and the slice after it. */
    record Change(String topic, ObjectNode payload, Slice after) {}

    /**
     * A random change of this slice that the daemon has no reason to refuse.
     *
     * @param admin prefix of the admin's properties and reasons
     * @param number number of the change
     */
    Change random(Random random, String admin, int number) {
        while (true) {
            Change change = attempt(random, admin, admin + "-" + number);
            if (change != null) {
                return change;
            }
        }
    }

    private @Nullable Change attempt(Random random, String admin, String token) {
        return switch (random.nextInt(11)) {
            case 0, 1, 2 -> drain(some(random, ranks.subtract(excluded).subtract(drained())), token);
            case 3, 4 -> undrain(some(random, drained()));
            case 5 -> exclude(some(random, ranks.subtract(excluded)), token);
            case 6 -> include(some(random, excluded));
            case 7 -> live("offline", some(random, ranks.subtract(offline)));
            case 8 -> live("online", some(random, offline));
            case 9 -> property(random, admin + "p" + random.nextInt(5));
            default -> "a0".equals(admin) ? expire(2_000_000_000.0 + random.nextInt(1_000_000)) : null;
        };
    }

    /** One to four of the ids, or none if there are none. */
    private static Idset some(Random random, Idset of) {
        Idset.Builder builder = Idset.builder();
        for (int i = 0, n = of.isEmpty() ? 0 : 1 + random.nextInt(4); i < n; i++) {
            builder.add(of.nth(random.nextInt(of.size())));
        }
        return builder.build();
    }

    private @Nullable Change drain(Idset targets, String reason) {
        SortedMap<Integer, String> next = new TreeMap<>(reasons);
        targets.forEach(rank -> next.put(rank, reason));
        return change("drain", targets, reason, new Slice(ranks, next, excluded, offline, properties, expiration));
    }

    private @Nullable Change undrain(Idset targets) {
        return change(
                "undrain", targets, "", new Slice(ranks, without(targets), excluded, offline, properties, expiration));
    }

    private SortedMap<Integer, String> without(Idset targets) {
        SortedMap<Integer, String> left = new TreeMap<>();
        reasons.forEach((rank, reason) -> {
            if (!targets.contains(rank)) {
                left.put(rank, reason);
            }
        });
        return left;
    }

    /** Excludes ranks and ends their holds, as flux-core does. */
    private @Nullable Change exclude(Idset targets, String reason) {
        Slice after = new Slice(ranks, without(targets), excluded.union(targets), offline, properties, expiration);
        return change("exclude", targets, reason, after);
    }

    private @Nullable Change include(Idset targets) {
        Slice after = new Slice(ranks, reasons, excluded.subtract(targets), offline, properties, expiration);
        return change("include", targets, "", after);
    }

    private @Nullable Change live(String verb, Idset targets) {
        Idset next = "offline".equals(verb) ? offline.union(targets) : offline.subtract(targets);
        return change(verb, targets, "", new Slice(ranks, reasons, excluded, next, properties, expiration));
    }

    private @Nullable Change property(Random random, String name) {
        Idset has = properties.getOrDefault(name, Idset.EMPTY);
        boolean add = random.nextBoolean();
        Idset targets = some(random, add ? ranks.subtract(has) : has);
        SortedMap<String, Idset> next = new TreeMap<>(properties);
        Idset left = add ? has.union(targets) : has.subtract(targets);
        next.put(name, left);
        if (left.isEmpty()) {
            next.remove(name);
        }
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.putObject("properties").put(name, targets.toString());
        Slice after = new Slice(ranks, reasons, excluded, offline, next, expiration);
        return targets.isEmpty() ? null : new Change("resource.property-" + (add ? "add" : "remove"), payload, after);
    }

    private Change expire(double when) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("expiration", when);
        return new Change(
                "resource.expiration-update", payload, new Slice(ranks, reasons, excluded, offline, properties, when));
    }

    private static @Nullable Change change(String verb, Idset targets, String reason, Slice after) {
        ObjectNode payload = JsonNodeFactory.instance.objectNode().put("targets", targets.toString());
        if (!reason.isEmpty()) {
            payload.put("reason", reason);
        }
        return targets.isEmpty() ? null : new Change("resource." + verb, payload, after);
    }
}
