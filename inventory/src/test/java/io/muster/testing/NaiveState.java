package io.muster.testing;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Decision.Rejection.Kind;
import io.muster.inventory.state.HoldChanges.Mode;
import io.muster.inventory.state.Once;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A model of the inventory's rules, rank by rank in plain collections: slow, but simple enough to be a reference. A change that
 * is refused changes nothing and returns the kind of refusal; a change that is granted returns null.
 */
public final class NaiveState {
    public final TreeMap<Integer, Rank> ranks = new TreeMap<>();
    public final Map<String, Departed> departed = new TreeMap<>();
    /** The changes with an id, the oldest first. */
    public final List<Sent> sent = new ArrayList<>();

    private double defined;
    private double starts;
    private double expires;
    private boolean expirationSet;
    public long attempts;
    private int failures;

    /** A command with an id that led to events. */
    public record Sent(Once command, Principal by, double time) {}

    /** Returns whether a repeated command is remembered: among the last {@code most} commands, and in the {@code seconds} before the last. */
    public boolean remembers(Sent again, int most, double seconds) {
        return sent.subList(Math.max(0, sent.size() - most), sent.size()).contains(again)
                && again.time + seconds >= sent.get(sent.size() - 1).time;
    }

    /** A rank with all its properties. */
    public static final class Rank {
        public final String host;
        public Liveness.Status status;
        public double since;
        public final TreeMap<String, Hold> holds = new TreeMap<>();
        public final TreeMap<String, Hold> plans = new TreeMap<>();
        public final Set<Membership.Kind> absent = EnumSet.noneOf(Membership.Kind.class);
        Set<String> defined = new TreeSet<>();
        final TreeMap<String, Boolean> edits = new TreeMap<>();
        final TreeMap<String, Long> attempts = new TreeMap<>();

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

        public boolean isUp() {
            return absent.isEmpty() && status == Liveness.Status.ONLINE && holds.isEmpty();
        }

        Rank copy() {
            Rank copy = new Rank(host, status, since);
            copy.holds.putAll(holds);
            copy.plans.putAll(plans);
            copy.absent.addAll(absent);
            copy.defined.addAll(defined);
            copy.edits.putAll(edits);
            copy.attempts.putAll(attempts);
            return copy;
        }

        @Override
        public String toString() {
            return List.of(host, status, since, holds, plans, absent, defined, edits, attempts)
                    .toString();
        }
    }

    /** The data kept for a departed host. */
    public static final class Departed {
        final TreeMap<String, Hold> holds = new TreeMap<>();
        final TreeMap<String, Hold> plans = new TreeMap<>();
        final Set<Membership.Kind> absent = EnumSet.noneOf(Membership.Kind.class);
        final Set<String> added = new TreeSet<>();
        final Set<String> removed = new TreeSet<>();

        boolean isEmpty() {
            return holds.isEmpty() && plans.isEmpty() && absent.isEmpty() && added.isEmpty() && removed.isEmpty();
        }

        Departed copy() {
            Departed copy = new Departed();
            copy.holds.putAll(holds);
            copy.plans.putAll(plans);
            copy.absent.addAll(absent);
            copy.added.addAll(added);
            copy.removed.addAll(removed);
            return copy;
        }

        @Override
        public String toString() {
            return List.of(holds, plans, absent, added, removed).toString();
        }
    }

    public NaiveState copy() {
        NaiveState copy = new NaiveState();
        ranks.forEach((id, rank) -> copy.ranks.put(id, rank.copy()));
        departed.forEach((host, kept) -> copy.departed.put(host, kept.copy()));
        copy.defined = defined;
        copy.starts = starts;
        copy.expires = expires;
        copy.expirationSet = expirationSet;
        copy.attempts = attempts;
        copy.failures = failures;
        return copy;
    }

    /** Returns the whole state as text: states with the same text are equal. */
    @Override
    public String toString() {
        return List.of(ranks, departed, defined, starts, expires, expirationSet, attempts, failures)
                .toString();
    }

    /** A change of a state. */
    public interface Effect {
        /** @return why the change is refused; null if it is granted */
        @Nullable
        Kind on(NaiveState state);
    }

    private List<Rank> at(Idset ids) {
        List<Rank> found = new ArrayList<>();
        ids.forEach(id -> found.add(ranks.get(id)));
        return found;
    }

    public Idset ranksWhere(Predicate<Rank> wanted) {
        Idset.Builder found = Idset.builder();
        ranks.forEach((id, rank) -> {
            if (wanted.test(rank)) {
                found.add(id);
            }
        });
        return found.build();
    }

    public double expiration() {
        return expires;
    }

    public SortedMap<String, Idset> properties() {
        Set<String> names = new TreeSet<>();
        ranks.values().forEach(rank -> {
            names.addAll(rank.defined);
            names.addAll(rank.edits.keySet());
        });
        SortedMap<String, Idset> properties = new TreeMap<>();
        for (String name : names) {
            Idset has = ranksWhere(rank -> rank.has(name));
            if (!has.isEmpty()) {
                properties.put(name, has);
            }
        }
        return properties;
    }

    public @Nullable Kind drain(
            Idset targets, @Nullable String reason, Mode mode, String holder, double until, double now, Principal by) {
        return plan(
                targets,
                reason,
                mode,
                new Hold(holder, null, 0, 0, by, 0, until, Purpose.NONE, 0, null, Extras.NONE),
                now);
    }

    /** @param wanted the holder, the author, the beginning, 0 for now, and the end */
    public @Nullable Kind plan(Idset targets, @Nullable String reason, Mode mode, Hold wanted, double now) {
        double from = wanted.from();
        double until = wanted.until();
        String holder = wanted.holder();
        Principal by = wanted.by();
        if ((until != 0 && until <= Math.max(now, from)) || (from != 0 && from <= now)) {
            return Kind.INVALID;
        }
        Function<Rank, TreeMap<String, Hold>> of = rank -> from == 0 ? rank.holds : rank.plans;
        boolean clash = false;
        boolean absent = false;
        boolean foreign = false;
        for (Rank rank : at(targets)) {
            Hold hold = of.apply(rank).get(holder);
            boolean taken = hold != null && hold.reason() != null;
            clash |= taken && mode == Mode.NONE;
            absent |= !rank.absent.isEmpty();
            foreign |= hold != null
                    && !holder.equals("admin")
                    && hold.by().uid() != by.uid()
                    && !(taken && mode == Mode.UPDATE)
                    && !(reason == null && until == 0 && from == 0);
        }
        boolean force = mode == Mode.OVERWRITE || mode == Mode.FORCE_OVERWRITE;
        if (clash || absent || (foreign && !force)) {
            return clash ? Kind.EXISTS : absent ? Kind.INVALID : Kind.HELD_BY_OTHER;
        }
        for (Rank rank : at(targets)) {
            Hold hold = of.apply(rank).get(holder);
            if (hold == null) {
                of.apply(rank)
                        .put(
                                holder,
                                new Hold(
                                        holder, reason, now, now, by, from, until, Purpose.NONE, 0, null, Extras.NONE));
            } else if (force || (hold.reason() == null && (reason != null || until > 0 || from > 0))) {
                boolean anew = mode == Mode.FORCE_OVERWRITE;
                double end = anew || until > 0 || from > 0 ? until : hold.until();
                double begin = anew || from > 0 ? from : hold.from();
                boolean same = words(reason).equals(words(hold.reason()))
                        && by.author().equals(hold.by().author());
                double since = anew ? now : hold.since();
                double changed = anew || !same ? now : hold.changed();
                Hold next =
                        new Hold(holder, reason, since, changed, by, begin, end, Purpose.NONE, 0, null, Extras.NONE);
                Hold repeated = new Hold(
                        holder, reason, since, changed, hold.by(), begin, end, Purpose.NONE, 0, null, Extras.NONE);
                if (!by.author().equals(hold.by().author()) || !repeated.equals(hold)) {
                    of.apply(rank).put(holder, next);
                }
            }
        }
        return null;
    }

    /** Places holds that end by a check, all of them as one attempt. */
    public @Nullable Kind drainUntilCheck(Idset targets, String holder, double now, Principal by) {
        Kind refused = drain(targets, "because", Mode.NONE, holder, 0, now, by);
        if (refused == null) {
            attempts++;
            at(targets).forEach(rank -> rank.attempts.put(holder, attempts));
        }
        return refused;
    }

    public @Nullable Kind checkResult(int id, String holder, long attempt, boolean ok) {
        Rank rank = at(Idset.of(id)).get(0);
        if (!rank.holds.containsKey(holder)) {
            return Kind.EXISTS;
        }
        if (rank.attempts.getOrDefault(holder, 0L) != attempt) {
            return Kind.STALE;
        }
        if (ok) {
            rank.holds.remove(holder);
        } else {
            failures++; // the hold has another line
        }
        return null;
    }

    private static String words(@Nullable String reason) {
        return Objects.requireNonNullElse(reason, "");
    }

    public @Nullable Kind undrain(Idset targets, List<String> away, Mode mode, @Nullable String holder, Principal by) {
        return undrain(targets, away, mode, holder, by, false);
    }

    public @Nullable Kind undrain(
            Idset targets, List<String> away, Mode mode, @Nullable String holder, Principal by, boolean planned) {
        List<TreeMap<String, Hold>> present = new ArrayList<>();
        at(targets).forEach(rank -> present.add(planned ? rank.plans : rank.holds));
        List<TreeMap<String, Hold>> kept = new ArrayList<>();
        away.forEach(host -> {
            Departed left = departed.getOrDefault(host, new Departed());
            kept.add(planned ? left.plans : left.holds);
        });
        Kind refused = refusal(present, mode, holder, by);
        refused = refused == null ? refusal(kept, mode, holder, by) : refused;
        if (refused == null) {
            boolean all = holder == null && mode == Mode.FORCE_OVERWRITE;
            String whose = holder == null ? "admin" : holder;
            present.addAll(kept);
            present.forEach(holds -> holds.keySet().removeIf(key -> all || key.equals(whose)));
            departed.values().removeIf(Departed::isEmpty);
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

    /** Ends the holds whose end has come, and begins those that are planned for now or earlier. */
    public void meetDeadlines(double now) {
        ranks.values().forEach(rank -> rank.holds.values().removeIf(hold -> hold.until() > 0 && hold.until() <= now));
        for (Rank rank : ranks.values()) {
            for (Hold plan : List.copyOf(rank.plans.values())) {
                if (plan.from() <= now) {
                    rank.plans.remove(plan.holder());
                    boolean over = plan.until() > 0 && plan.until() <= now;
                    if (!over && !rank.absent.contains(Membership.Kind.LOST)) {
                        rank.holds.merge(plan.holder(), begun(plan, now), (hold, fresh) -> joined(hold, fresh));
                    }
                }
            }
        }
        departed.values().forEach(left -> left.plans.values().removeIf(plan -> plan.from() <= now));
        departed.values().removeIf(Departed::isEmpty);
    }

    private static Hold begun(Hold plan, double now) {
        return new Hold(
                plan.holder(),
                plan.reason(),
                now,
                now,
                plan.by(),
                plan.from(),
                plan.until(),
                Purpose.NONE,
                0,
                null,
                Extras.NONE);
    }

    private static Hold joined(Hold hold, Hold fresh) {
        boolean silent = hold.reason() == null;
        boolean same = !silent
                || (words(fresh.reason()).isEmpty()
                        && fresh.by().author().equals(hold.by().author()));
        boolean endless = hold.until() == 0 || fresh.until() == 0;
        return new Hold(
                hold.holder(),
                silent ? fresh.reason() : hold.reason(),
                hold.since(),
                same ? hold.changed() : fresh.since(),
                silent ? fresh.by() : hold.by(),
                fresh.from(),
                endless ? 0 : Math.max(hold.until(), fresh.until()),
                Purpose.NONE,
                0,
                null,
                Extras.NONE);
    }

    public @Nullable Kind exclude(Idset targets) {
        for (Rank rank : at(targets)) {
            if (rank.absent.add(Membership.Kind.ADMIN)) {
                rank.holds.remove("admin");
            }
        }
        return null;
    }

    public @Nullable Kind include(Idset targets, List<String> away) {
        for (Rank rank : at(targets)) {
            if (rank.absent.contains(Membership.Kind.CONFIG)) {
                return Kind.INVALID;
            }
        }
        at(targets).forEach(rank -> rank.absent.clear());
        away.forEach(host -> departed.getOrDefault(host, new Departed()).absent.clear());
        departed.values().removeIf(Departed::isEmpty);
        return null;
    }

    public void configure(ResourceSet configured, Idset excluded) {
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
                rank.holds.remove("admin");
            }
        });
    }

    public @Nullable Kind shrink(Idset targets) {
        Idset fresh = targets.intersect(ranksWhere(rank -> !rank.absent.contains(Membership.Kind.LOST)));
        Idset members = ranksWhere(rank -> rank.absent.isEmpty());
        if (!fresh.isEmpty() && !members.isEmpty() && members.subtract(fresh).isEmpty()) {
            return Kind.INVALID;
        }
        at(targets).forEach(rank -> rank.absent.add(Membership.Kind.LOST));
        return null;
    }

    public @Nullable Kind report(String name, Idset targets, double now) {
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
        return null;
    }

    public @Nullable Kind expire(double seconds) {
        if (seconds < 0 || (seconds > 0 && seconds <= starts)) {
            return Kind.INVALID;
        }
        if (seconds != expires) {
            expires = seconds;
            expirationSet = true;
        }
        return null;
    }

    public @Nullable Kind edit(boolean add, Map<String, Idset> properties) {
        properties.forEach((name, targets) -> at(targets).forEach(rank -> {
            if (rank.has(name) != add) {
                rank.edit(name, add);
            }
        }));
        return null;
    }

    public void define(ResourceSet next, Liveness.Status initial, double now) {
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
        fresh.forEach(rank -> departed.remove(rank.host));
        boolean kept = expirationSet && next.expiration() == defined && !(expires > 0 && expires <= next.starttime());
        expirationSet = kept;
        expires = kept ? expires : next.expiration();
        defined = next.expiration();
        starts = next.starttime();
    }

    private void leave(Rank rank) {
        Departed kept = departed.getOrDefault(rank.host, new Departed());
        rank.holds.forEach(kept.holds::putIfAbsent);
        rank.plans.forEach(kept.plans::putIfAbsent);
        if (kept.absent.isEmpty()) {
            kept.absent.addAll(rank.absent);
            kept.absent.retainAll(Set.of(Membership.Kind.ADMIN));
        }
        rank.edits.forEach((name, add) -> (add ? kept.added : kept.removed).add(name));
        if (!kept.isEmpty()) {
            departed.put(rank.host, kept);
        }
    }

    private void returning(Rank rank) {
        Departed kept = departed.getOrDefault(rank.host, new Departed());
        rank.holds.putAll(kept.holds);
        rank.plans.putAll(kept.plans);
        rank.absent.addAll(kept.absent);
        kept.added.forEach(name -> rank.edit(name, true));
        kept.removed.forEach(name -> rank.edit(name, false));
    }
}
