package io.muster.inventory.history;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Reports;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.NoteChanges;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Follows the standing of every host through the entries of a journal. The state itself decides what a host is, so the past is read by
 * the same rules as the present. Hosts have numbers in the order in which they were first seen, because ranks change with R.
 */
public final class Tracker {
    /** The class of holds that are planned however late they are placed. */
    static final String MAINTENANCE = "maintenance";

    private final Sink sink;
    private final Map<String, Integer> hosts = new HashMap<>();
    private final Map<String, Integer> classes = new HashMap<>();
    /** The hosts in R, by their numbers. */
    private BitSet members = new BitSet();
    /** The number of the host of each rank. */
    private int[] numbers = {};
    /** Whether each host has one rank. */
    private boolean single = true;
    /** The state after the last entry; null if entries before it are missing. */
    private @Nullable InventoryState state = InventoryState.empty();

    private boolean quiet;
    private long time;

    /** Receives what happens to hosts. */
    public interface Sink {
        /** Names the host with the next number, from 0. */
        void host(String name);

        /** Names the class of holds with the next number, from 1. */
        void holdClass(String name);

        /**
         * The standing of hosts changes, or stays.
         *
         * @param time milliseconds since the epoch, never less than before
         * @param code a {@link UptimeKind} with a class, or {@link UptimeKind#ABSENT}
         */
        void move(long time, int code, int first, int last);
    }

    public Tracker(Sink sink) {
        this.sink = sink;
    }

    public static long millis(double seconds) {
        return seconds >= Long.MAX_VALUE / 1000.0 ? Long.MAX_VALUE : Math.round(seconds * 1000);
    }

    /** Returns the number of a host, which gets one if it has none. */
    public int host(String name) {
        Integer known = hosts.get(name);
        if (known == null) {
            known = hosts.size();
            hosts.put(name, known);
            sink.host(name);
        }
        return known;
    }

    /** Returns the number of a class of holds, which gets one if it has none; 0 for "", and for the classes after too many. */
    public int holdClass(String name) {
        Integer known =
                name.isEmpty() || classes.size() == UptimeKind.MOST_CLASSES ? Integer.valueOf(0) : classes.get(name);
        if (known == null) {
            known = classes.size() + 1;
            classes.put(name, known);
            sink.holdClass(name);
        }
        return known;
    }

    /** Sets whether entries change the state only, because the sink knows already what happened to the hosts. */
    public void quiet(boolean silent) {
        quiet = silent;
        if (!silent) {
            number();
        }
    }

    /** The time of the last entry, in milliseconds since the epoch. */
    public long time() {
        return time;
    }

    /** Sets the time of the last entry that the sink knows of. */
    public void at(long millis) {
        time = Math.max(time, millis);
    }

    /** Entries are missing: until a state is known, it is unknown what became of the hosts. */
    public void missing() {
        state = null;
        for (int host = members.nextSetBit(0); host >= 0; host = members.nextSetBit(host)) {
            int end = members.nextClearBit(host);
            sink.move(time, UptimeKind.UNRECORDED.code(0), host, end - 1);
            host = end;
        }
    }

    /** @param seconds when the state was as given, since the epoch */
    public void add(InventoryState known, double seconds) {
        at(millis(seconds));
        state = known;
        if (!quiet) {
            redefined();
        }
    }

    public void add(Entry entry) {
        at(millis(entry.timestamp()));
        InventoryState before = state;
        if (before == null) {
            return;
        }
        Event event = entry.event();
        InventoryState after = before.apply(event, entry.timestamp(), entry.by());
        state = after;
        if (quiet) {
            return;
        }
        if (event instanceof DefinitionChanges.Defined) {
            redefined();
        } else if (event instanceof Event.Targeted targeted && !(event instanceof NoteChanges.Annotated)) {
            move(after, targeted.targets().ranks().union(reporters(before, after)));
        } else if (!isSame(before, after)) {
            move(after, after.resources().ranks());
        }
    }

    /** Returns the ranks of which it became known or unknown whether they are online: a new report may no longer name all of them. */
    private static Idset reporters(InventoryState before, InventoryState after) {
        Reports known = before.liveness().reports();
        Reports next = after.liveness().reports();
        return known.unknown().equals(next.unknown())
                ? Idset.EMPTY
                : known.unknown().symmetricDifference(next.unknown());
    }

    @SuppressWarnings("ReferenceEquality") // an event that does not touch an axis keeps the object
    private static boolean isSame(InventoryState before, InventoryState after) {
        return before.holds() == after.holds()
                && before.membership() == after.membership()
                && before.liveness() == after.liveness();
    }

    private void redefined() {
        BitSet gone = members;
        number();
        gone.andNot(members);
        gone.stream().forEach(host -> sink.move(time, UptimeKind.ABSENT, host, host));
        InventoryState now = state;
        if (now != null) {
            move(now, now.resources().ranks());
        }
    }

    /** Finds the host of each rank. */
    private void number() {
        if (state == null) {
            return;
        }
        ResourceSet resources = state.resources();
        Idset ranks = resources.ranks();
        numbers = new int[ranks.isEmpty() ? 0 : ranks.last() + 1];
        Arrays.fill(numbers, -1);
        members = new BitSet();
        Iterator<String> names = resources.hostsOf(ranks).stream().iterator();
        ranks.forEach(rank -> {
            numbers[rank] = host(names.next());
            members.set(numbers[rank]);
        });
        single = members.cardinality() == ranks.size();
    }

    private void move(InventoryState now, Idset ranks) {
        if (single) {
            codes(now, ranks, this::move);
            return;
        }
        Hostlist named = now.resources().hostsOf(ranks);
        Map<Integer, Integer> worst = new TreeMap<>();
        codes(now, now.resources().ranksOf(named), (code, first, last) -> {
            for (int rank = first; rank <= last; rank++) {
                worst.merge(numbers[rank], code, (a, b) -> UptimeKind.of(a).compareTo(UptimeKind.of(b)) < 0 ? b : a);
            }
        });
        worst.forEach((host, code) -> sink.move(time, code, host, host));
    }

    private void move(int code, int first, int last) {
        int begin = first;
        for (int rank = first; rank <= last; rank++) {
            if (rank == last || numbers[rank + 1] != numbers[rank] + 1) {
                sink.move(time, code, numbers[begin], numbers[rank]);
                begin = rank + 1;
            }
        }
    }

    /** Receives ranks that have the same standing. */
    private interface Codes {
        void range(int code, int first, int last);
    }

    private void codes(InventoryState now, Idset ranks, Codes codes) {
        Membership membership = now.membership();
        Liveness live = now.liveness();
        Idset rest = part(ranks, membership.lost(), UptimeKind.LOST, codes);
        rest = part(rest, membership.excluded(), UptimeKind.EXCLUDED, codes);
        now.holds().forEachIn(rest, (first, last, holds) -> codes.range(code(holds), first, last));
        rest = rest.subtract(now.holds().held());
        rest = part(rest, live.reports().unknown(), UptimeKind.UNKNOWN, codes);
        rest = part(rest, live.torpid(), UptimeKind.TORPID, codes);
        rest = part(rest, live.online(), UptimeKind.AVAILABLE, codes);
        part(rest, rest, UptimeKind.OFFLINE, codes);
    }

    private static Idset part(Idset ranks, Idset alike, UptimeKind standing, Codes codes) {
        Idset found = ranks.intersect(alike);
        if (found.isEmpty()) {
            return ranks;
        }
        found.forEachRange((first, last) -> codes.range(standing.code(0), first, last));
        return ranks.subtract(found);
    }

    /** The class is that of the oldest hold that is not planned, or of the oldest hold. */
    private int code(HoldSet set) {
        Hold counting = set.holds().get(0);
        boolean planned = isPlanned(counting);
        for (Hold hold : set.holds()) {
            boolean also = isPlanned(hold);
            if (planned == also ? hold.since() < counting.since() : planned) {
                counting = hold;
                planned = also;
            }
        }
        UptimeKind standing = planned ? UptimeKind.PLANNED : UptimeKind.DRAINED;
        return standing.code(holdClass(counting.purpose().category()));
    }

    private static boolean isPlanned(Hold hold) {
        return hold.from() > 0 || hold.purpose().category().equals(MAINTENANCE);
    }
}
