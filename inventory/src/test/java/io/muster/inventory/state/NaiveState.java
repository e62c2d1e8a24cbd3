package io.muster.inventory.state;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Decision.Rejection.Kind;
import io.muster.inventory.state.HoldChanges.Mode;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The rules once more, rank by rank in plain collections: slow, but too simple to be wrong. Every method returns why it
 * refuses, or null.
 */
final class NaiveState {
    final TreeMap<Integer, Rank> ranks = new TreeMap<>();
    final Map<String, Left> left = new TreeMap<>();
    private double defined;
    private double starts;
    private double expires;
    private boolean expirationSet;

    /** A rank with all its properties. */
    static final class Rank {
        final String host;
        Liveness.Status status;
        double since;
        final TreeMap<String, Hold> holds = new TreeMap<>();
        final Set<Membership.Kind> absent = EnumSet.noneOf(Membership.Kind.class);
        Set<String> defined = new TreeSet<>();
        final TreeMap<String, Boolean> edits = new TreeMap<>();

        Rank(String host, Liveness.Status status, double since) {
            this.host = host;
            this.status = status;
            this.since = since;
        }

        boolean has(String property) {
            return edits.getOrDefault(property, defined.contains(property));
        }

        void edit(String property, boolean add) {
            if (edits.getOrDefault(property, add) != add) {
                edits.remove(property);
            }
            if (defined.contains(property) != add) {
                edits.put(property, add);
            }
        }

        boolean isUp() {
            return absent.isEmpty() && status == Liveness.Status.ONLINE && holds.isEmpty();
        }
    }

    /** The data kept for a departed host. */
    static final class Left {
        final TreeMap<String, Hold> holds = new TreeMap<>();
        final Set<Membership.Kind> absent = EnumSet.noneOf(Membership.Kind.class);
        final Set<String> added = new TreeSet<>();
        final Set<String> removed = new TreeSet<>();

        boolean isEmpty() {
            return holds.isEmpty() && absent.isEmpty() && added.isEmpty() && removed.isEmpty();
        }
    }

    private List<Rank> at(Idset ids) {
        List<Rank> found = new ArrayList<>();
        ids.forEach(id -> found.add(ranks.get(id)));
        return found;
    }

    Idset those(Predicate<Rank> wanted) {
        Idset.Builder found = Idset.builder();
        ranks.forEach((id, rank) -> {
            if (wanted.test(rank)) {
                found.add(id);
            }
        });
        return found.build();
    }

    double expiration() {
        return expires;
    }

    Map<String, Idset> properties() {
        Set<String> names = new TreeSet<>();
        ranks.values().forEach(rank -> {
            names.addAll(rank.defined);
            names.addAll(rank.edits.keySet());
        });
        Map<String, Idset> properties = new TreeMap<>();
        for (String name : names) {
            Idset has = those(rank -> rank.has(name));
            if (!has.isEmpty()) {
                properties.put(name, has);
            }
        }
        return properties;
    }

    @Nullable
    Kind drain(
            Idset targets, @Nullable String reason, Mode mode, String holder, double until, double now, Principal by) {
        if (until != 0 && until <= now) {
            return Kind.INVALID;
        }
        boolean clash = false;
        boolean absent = false;
        boolean foreign = false;
        for (Rank rank : at(targets)) {
            Hold hold = rank.holds.get(holder);
            boolean taken = hold != null && hold.reason() != null;
            clash |= taken && mode == Mode.NONE;
            absent |= !rank.absent.isEmpty();
            foreign |= hold != null
                    && !holder.equals("admin")
                    && hold.by().uid() != by.uid()
                    && !(taken && mode == Mode.UPDATE)
                    && !(reason == null && until == 0);
        }
        boolean force = mode == Mode.OVERWRITE || mode == Mode.FORCE_OVERWRITE;
        if (clash || absent || (foreign && !force)) {
            return clash ? Kind.EXISTS : absent ? Kind.INVALID : Kind.HELD_BY_OTHER;
        }
        for (Rank rank : at(targets)) {
            Hold hold = rank.holds.get(holder);
            if (hold == null) {
                rank.holds.put(holder, new Hold(holder, reason, now, by, until));
            } else if (force || (hold.reason() == null && (reason != null || until > 0))) {
                boolean anew = mode == Mode.FORCE_OVERWRITE;
                double end = anew || until > 0 ? until : hold.until();
                rank.holds.put(holder, new Hold(holder, reason, anew ? now : hold.since(), by, end));
            }
        }
        return null;
    }

    @Nullable
    Kind undrain(Idset targets, List<String> away, Mode mode, @Nullable String holder, Principal by) {
        List<TreeMap<String, Hold>> present = new ArrayList<>();
        at(targets).forEach(rank -> present.add(rank.holds));
        List<TreeMap<String, Hold>> departed = new ArrayList<>();
        away.forEach(host -> departed.add(left.getOrDefault(host, new Left()).holds));
        Kind refused = refusal(present, mode, holder, by);
        refused = refused == null ? refusal(departed, mode, holder, by) : refused;
        if (refused == null) {
            boolean all = holder == null && mode == Mode.FORCE_OVERWRITE;
            String whose = holder == null ? "admin" : holder;
            present.addAll(departed);
            present.forEach(holds -> holds.keySet().removeIf(key -> all || key.equals(whose)));
            left.values().removeIf(Left::isEmpty);
        }
        return refused;
    }

    private static @Nullable Kind refusal(
            List<? extends Map<String, Hold>> targets, Mode mode, @Nullable String holder, Principal by) {
        boolean all = holder == null && mode == Mode.FORCE_OVERWRITE;
        String whose = holder == null ? "admin" : holder;
        boolean force = mode == Mode.OVERWRITE || mode == Mode.FORCE_OVERWRITE;
        boolean free = false;
        boolean elsewhere = false;
        boolean foreign = false;
        for (Map<String, Hold> holds : targets) {
            Hold hold = holds.get(whose);
            free |= hold == null;
            elsewhere |= hold == null && !holds.isEmpty();
            foreign |= hold != null && !whose.equals("admin") && hold.by().uid() != by.uid();
        }
        if (mode == Mode.NONE && free) {
            return elsewhere ? Kind.HELD_BY_OTHER : Kind.EXISTS;
        }
        return foreign && !force && !all ? Kind.HELD_BY_OTHER : null;
    }

    void lift(double now) {
        ranks.values().forEach(rank -> rank.holds.values().removeIf(hold -> hold.until() > 0 && hold.until() <= now));
    }

    void exclude(Idset targets) {
        for (Rank rank : at(targets)) {
            if (rank.absent.add(Membership.Kind.ADMIN)) {
                rank.holds.clear();
            }
        }
    }

    @Nullable
    Kind include(Idset targets, List<String> away) {
        for (Rank rank : at(targets)) {
            if (rank.absent.contains(Membership.Kind.CONFIG)) {
                return Kind.INVALID;
            }
        }
        at(targets).forEach(rank -> rank.absent.clear());
        away.forEach(host -> left.getOrDefault(host, new Left()).absent.clear());
        left.values().removeIf(Left::isEmpty);
        return null;
    }

    void configure(ResourceSet configured, Idset excluded) {
        Set<Rank> wanted = new HashSet<>();
        Map<String, Integer> seen = new HashMap<>();
        configured.ranks().forEach(id -> {
            String host = configured.hostOf(id);
            int nth = seen.merge(host, 1, Integer::sum) - 1;
            if (excluded.contains(id)) {
                ranks.values().stream()
                        .filter(rank -> rank.host.equals(host))
                        .skip(nth)
                        .findFirst()
                        .ifPresent(wanted::add);
            }
        });
        ranks.values().forEach(rank -> {
            if (!wanted.contains(rank)) {
                rank.absent.remove(Membership.Kind.CONFIG);
            } else if (rank.absent.add(Membership.Kind.CONFIG)) {
                rank.holds.clear();
            }
        });
    }

    @Nullable
    Kind shrink(Idset targets) {
        Idset fresh = targets.intersect(those(rank -> !rank.absent.contains(Membership.Kind.LOST)));
        Idset members = those(rank -> rank.absent.isEmpty());
        if (!fresh.isEmpty() && !members.isEmpty() && members.subtract(fresh).isEmpty()) {
            return Kind.INVALID;
        }
        at(targets).forEach(rank -> rank.absent.add(Membership.Kind.LOST));
        return null;
    }

    void report(String name, Idset targets, double now) {
        for (Rank rank : at(targets)) {
            Liveness.Status next = switch (name) {
                case "online" -> Liveness.Status.ONLINE;
                case "offline" -> Liveness.Status.OFFLINE;
                case "torpid" -> rank.status == Liveness.Status.ONLINE ? Liveness.Status.TORPID : rank.status;
                default -> rank.status == Liveness.Status.TORPID ? Liveness.Status.ONLINE : rank.status;
            };
            if (next != rank.status) {
                rank.status = next;
                rank.since = now;
            }
        }
    }

    @Nullable
    Kind expire(double seconds) {
        if (seconds < 0 || (seconds > 0 && seconds <= starts)) {
            return Kind.INVALID;
        }
        if (seconds != expires) {
            expires = seconds;
            expirationSet = true;
        }
        return null;
    }

    void edit(boolean add, Map<String, Idset> properties) {
        properties.forEach((name, targets) -> at(targets).forEach(rank -> {
            if (rank.has(name) != add) {
                rank.edit(name, add);
            }
        }));
    }

    void define(ResourceSet next, Liveness.Status initial, double now) {
        Map<String, List<Rank>> waiting = new HashMap<>();
        ranks.values()
                .forEach(rank -> waiting.computeIfAbsent(rank.host, h -> new ArrayList<>())
                        .add(rank));
        TreeMap<Integer, Rank> placed = new TreeMap<>();
        List<Rank> fresh = new ArrayList<>();
        next.ranks().forEach(id -> {
            String host = next.hostOf(id);
            List<Rank> queue = waiting.getOrDefault(host, new ArrayList<>());
            boolean known = !queue.isEmpty();
            Rank rank = known ? queue.remove(0) : new Rank(host, initial, now);
            if (!known) {
                fresh.add(rank);
            }
            rank.defined = new TreeSet<>();
            next.properties().forEach((name, has) -> {
                if (has.contains(id)) {
                    rank.defined.add(name);
                }
            });
            placed.put(id, rank);
        });
        ranks.values().stream().filter(rank -> !placed.containsValue(rank)).forEach(this::leave);
        ranks.clear();
        ranks.putAll(placed);
        fresh.forEach(this::returning);
        fresh.forEach(rank -> left.remove(rank.host));
        boolean kept = expirationSet && next.expiration() == defined && !(expires > 0 && expires <= next.starttime());
        expirationSet = kept;
        expires = kept ? expires : next.expiration();
        defined = next.expiration();
        starts = next.starttime();
    }

    private void leave(Rank rank) {
        Left there = left.getOrDefault(rank.host, new Left());
        rank.holds.forEach(there.holds::putIfAbsent);
        if (there.absent.isEmpty()) {
            there.absent.addAll(rank.absent);
            there.absent.retainAll(Set.of(Membership.Kind.ADMIN));
        }
        rank.edits.forEach((name, add) -> (add ? there.added : there.removed).add(name));
        if (!there.isEmpty()) {
            left.put(rank.host, there);
        }
    }

    private void returning(Rank rank) {
        Left there = left.getOrDefault(rank.host, new Left());
        rank.holds.putAll(there.holds);
        rank.absent.addAll(there.absent);
        there.added.forEach(name -> rank.edit(name, true));
        there.removed.forEach(name -> rank.edit(name, false));
    }
}
