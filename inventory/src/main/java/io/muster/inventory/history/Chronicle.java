package io.muster.inventory.history;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.NoteChanges;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Computes from events the intervals in which hosts were drained, excluded or offline. Hosts are identified by name, because
 * ranks may have changed since the events. An interval whose beginning is not among the known events began before the first
 * known event.
 */
public final class Chronicle {
    /** Two times that differ by less than this, in seconds, are the same time, written by two programs. */
    private static final double ROUNDING = 0.001;

    private final Set<String> wanted;
    private final boolean notes;
    private final Hostlist wantedList;
    private final Map<String, Map<Slot, Outage>> open = new LinkedHashMap<>();
    private final Map<Outage, List<String>> ended = new LinkedHashMap<>();
    private final Set<String> seen = new HashSet<>();
    /** The wanted hosts in R; null while the previous R is unknown. */
    private @Nullable Set<String> hosts = Set.of();

    private double first;
    private int count;

    /**
     * A kind of interval of which a host can have only one at a time. For exclusions by the configuration, the holder is the
     * configuration; for a mark, the path below the host; for a tag, its key, a blank and the path.
     */
    private record Slot(Outage.Kind kind, String holder) {}

    /**
     * Creates an empty chronicle.
     *
     * @param wanted the hosts whose intervals are computed; empty for all hosts
     * @param notes whether marks and tags are intervals too
     */
    public Chronicle(Set<String> wanted, boolean notes) {
        this.wanted = wanted;
        this.notes = notes;
        this.wantedList = Hostlist.of(List.copyOf(wanted));
    }

    private boolean isWanted(String host) {
        return wanted.isEmpty() || wanted.contains(host);
    }

    /**
     * Replaces the open intervals by those of a state, because events before the state are or may be missing. An interval that
     * is open here and not in the state ends at {@code time}, because the time of its end is unknown.
     *
     * @param time when the state was as given, in seconds since the epoch
     */
    public void add(InventoryState state, double time) {
        first = first == 0 ? time : first;
        Map<String, Map<Slot, Outage>> standing = new LinkedHashMap<>();
        ResourceSet resources = state.resources();
        Idset ranks = wanted.isEmpty()
                ? resources.ranks()
                : Idset.unionOf(wanted.stream().map(resources::ranksOf));
        Set<String> present = new LinkedHashSet<>(resources.hostsOf(ranks).expand());
        hosts = present;
        seen.addAll(present);
        Map<Integer, SortedMap<String, Note>> noted = notes ? state.notes().on(ranks) : Map.of();
        ranks.forEach(rank -> {
            String host = resources.hostOf(rank);
            noted.getOrDefault(rank, new TreeMap<>()).forEach((path, note) -> stand(standing, host, path, note));
            stand(standing, host, state.holds().on(rank), state.membership().of(rank));
            LivenessState report = state.liveness().of(rank);
            if (report != null && report.status() != Liveness.Status.ONLINE) {
                Outage.Kind kind =
                        report.status() == Liveness.Status.OFFLINE ? Outage.Kind.OFFLINE : Outage.Kind.TORPID;
                Outage outage = Outage.open(kind, "", report.reason(), report.since(), "");
                stand(standing, host, new Slot(kind, ""), outage);
            }
        });
        state.departed().forEach((host, left) -> {
            if (isWanted(host)) {
                seen.add(host);
                stand(standing, host, left.holds(), left.absences());
                left.notes().forEach((path, note) -> stand(standing, host, path, notes ? note : Note.NONE));
            }
        });
        for (String host : List.copyOf(open.keySet())) {
            Map<Slot, Outage> still = standing.getOrDefault(host, Map.of());
            of(host).forEach((slot, outage) -> {
                if (!still.containsKey(slot)) {
                    end(host, slot, outage.ended(time, "", ""));
                }
            });
        }
        standing.forEach((host, slots) -> slots.forEach((slot, outage) -> stand(host, slot, outage)));
    }

    private void stand(
            Map<String, Map<Slot, Outage>> standing,
            String host,
            @Nullable HoldSet holds,
            List<Membership.Absence> absences) {
        for (Hold hold : holds == null ? List.<Hold>of() : holds.holds()) {
            Slot slot = new Slot(Outage.Kind.DRAINED, hold.holder());
            String by = hold.by().author();
            String reason = Objects.requireNonNullElse(hold.reason(), "");
            Outage outage = Outage.open(slot.kind(), hold.holder(), reason, hold.changed(), by)
                    .of(hold.purpose().reported());
            boolean isFirstRank = stand(standing, host, slot, outage);
            if (isFirstRank
                    && hold.since() < hold.changed()
                    && !of(host).containsKey(slot)) { // the first author is not known any more
                Outage before = Outage.open(slot.kind(), hold.holder(), "", hold.since(), "");
                ended(host, before.ended(hold.changed(), by, ""));
            }
        }
        for (Membership.Absence absence : absences) {
            boolean lost = absence.kind() == Membership.Kind.LOST;
            Outage.Kind kind = lost ? Outage.Kind.LOST : Outage.Kind.EXCLUDED;
            String reason = Objects.requireNonNullElse(absence.reason(), "");
            Outage outage =
                    Outage.open(kind, "", reason, absence.since(), absence.by().author());
            String holder = absence.kind() == Membership.Kind.CONFIG ? PastEvent.CONFIG : "";
            stand(standing, host, new Slot(kind, holder), outage);
        }
    }

    private static void stand(Map<String, Map<Slot, Outage>> standing, String host, String path, Note note) {
        Note.Fact mark = note.mark();
        if (mark != null) {
            stand(standing, host, new Slot(Outage.Kind.MARKED, path), open(Outage.Kind.MARKED, path, "", mark));
        }
        note.tags()
                .forEach((key, tag) -> stand(
                        standing,
                        host,
                        new Slot(Outage.Kind.TAGGED, key + " " + path),
                        open(Outage.Kind.TAGGED, path, key, tag)));
    }

    private static Outage open(Outage.Kind kind, String path, String key, Note.Fact fact) {
        String text = noteText(kind, key, fact.value(), fact.reason());
        return Outage.open(kind, path, text, fact.since(), fact.by().author());
    }

    private static String noteText(Outage.Kind kind, String key, String value, String reason) {
        String more = kind == Outage.Kind.MARKED ? reason : value;
        String first = kind == Outage.Kind.MARKED ? value : key;
        return more.isEmpty() ? first : first + (kind == Outage.Kind.MARKED ? ": " : "=") + more;
    }

    /** Returns whether no other rank of the host has this slot. */
    private static boolean stand(Map<String, Map<Slot, Outage>> standing, String host, Slot slot, Outage outage) {
        return standing.computeIfAbsent(host, h -> new LinkedHashMap<>()).putIfAbsent(slot, outage) == null;
    }

    /**
     * Adds the interval that a state has for one slot of a host. A known interval that began earlier ended when the interval of
     * the state began. A server that does not know when an interval began sends 0.
     */
    private void stand(String host, Slot slot, Outage outage) {
        Outage known = of(host).get(slot);
        if (known != null && (outage.from() == 0 || Math.abs(outage.from() - known.from()) < ROUNDING)) {
            // The class may have been given before the first known event.
            put(host, slot, known.of(outage.purpose().or(known.purpose())));
            return;
        }
        if (known != null && known.from() > 0 && known.from() < outage.from()) {
            end(host, slot, known.ended(outage.from(), "", ""));
        }
        put(host, slot, outage);
    }

    /** Records that events before the next one are missing. */
    void missing() {
        hosts = null;
    }

    /** Adds an event. Events must be added in the order in which they happened. */
    public void add(PastEvent event) {
        first = first == 0 ? event.time() : first;
        switch (event.kind()) {
            case DEFINE, DEFINE_OFFLINE -> define(event);
            case ANNOTATE -> annotate(event);
            default -> wanted(event.hosts()).forEach(host -> add(host, event));
        }
    }

    /** Returns the wanted hosts of a list, in the order of the list. The list is not expanded if only a few hosts are wanted. */
    private Stream<String> wanted(Hostlist named) {
        if (wanted.isEmpty() || named.size() <= wanted.size()) {
            return named.stream().filter(this::isWanted);
        }
        Hostlist found = wantedList.select(wantedList.indexesOf(named));
        return found.size() < 2 ? found.stream() : found.stream().sorted(Comparator.comparingInt(named::indexOf));
    }

    private void add(String host, PastEvent event) {
        if (event.kind() != PastEvent.Kind.OTHER) {
            seen.add(host);
        }
        switch (event.kind()) {
            case DRAIN, DRAIN_REASON, DRAIN_ANEW -> drain(host, event);
            case UNDRAIN -> undrain(host, event);
            case EXCLUDE -> begin(host, new Slot(Outage.Kind.EXCLUDED, event.holder()), event);
            case SHRINK -> begin(host, new Slot(Outage.Kind.LOST, ""), event);
            case INCLUDE -> include(host, event);
            case OFFLINE -> {
                endAll(host, Outage.Kind.TORPID, event, "");
                // The reporter of an earlier report was gone, and the state has only the new report.
                endAll(host, Outage.Kind.OFFLINE, event, "");
                begin(host, new Slot(Outage.Kind.OFFLINE, ""), event);
            }
            case TORPID -> begin(host, new Slot(Outage.Kind.TORPID, ""), event);
            case ONLINE -> {
                endAll(host, Outage.Kind.OFFLINE, event, "");
                endAll(host, Outage.Kind.TORPID, event, "");
            }
            case DEFINE, DEFINE_OFFLINE, ANNOTATE, OTHER -> {}
        }
    }

    private void annotate(PastEvent event) {
        NoteChanges.Annotated changed = event.notes();
        wanted(event.hosts()).forEach(seen::add);
        if (!notes || changed == null) {
            return;
        }
        Idset ranks = changed.targets().ranks();
        changed.places().inside().forEach((path, some) -> {
            Idset.Builder indexes = Idset.builder();
            some.forEach(rank -> indexes.add(ranks.position(rank)));
            wanted(event.hosts().select(indexes.build())).forEach(host -> note(host, path, changed.edit(), event));
        });
        changed.places()
                .departed()
                .forEach((path, gone) -> wanted(gone).forEach(host -> note(host, path, changed.edit(), event)));
    }

    private void note(String host, String path, NoteEdit edit, PastEvent event) {
        NoteEdit.Mark mark = edit.mark();
        if (mark != null) {
            String text = mark.state().isEmpty() ? "" : noteText(Outage.Kind.MARKED, "", mark.state(), mark.reason());
            replace(
                    host,
                    new Slot(Outage.Kind.MARKED, path),
                    Outage.open(Outage.Kind.MARKED, path, text, 0, ""),
                    event);
        }
        edit.tags().forEach((key, value) -> {
            String text =
                    value.map(v -> noteText(Outage.Kind.TAGGED, key, v, "")).orElse("");
            Slot slot = new Slot(Outage.Kind.TAGGED, key + " " + path);
            replace(host, slot, Outage.open(Outage.Kind.TAGGED, path, text, 0, ""), event);
        });
    }

    /** Ends the open interval of a slot and, if the reason of {@code next} is not empty, begins an interval with this reason. */
    private void replace(String host, Slot slot, Outage next, PastEvent event) {
        Outage current = of(host).get(slot);
        if (current != null && current.reason().equals(next.reason())) {
            return;
        }
        if (current != null) {
            end(host, slot, current.ended(event.time(), event.who(), ""));
        }
        if (!next.reason().isEmpty()) {
            put(host, slot, Outage.open(next.kind(), next.holder(), next.reason(), event.time(), event.who()));
        }
    }

    /**
     * Ends exclusions. An event of the configuration ends only exclusions by the configuration; an event of an admin ends
     * all other exclusions.
     */
    private void include(String host, PastEvent event) {
        endOne(host, new Slot(Outage.Kind.EXCLUDED, event.holder()), event);
        if (event.holder().isEmpty()) {
            endAll(host, Outage.Kind.LOST, event, event.reason());
        }
    }

    private void drain(String host, PastEvent event) {
        Slot slot = new Slot(Outage.Kind.DRAINED, event.holder());
        Outage current = of(host).get(slot);
        if (current == null) {
            begin(host, slot, event);
        } else if (changes(current, event)) {
            boolean anew = event.kind() == PastEvent.Kind.DRAIN_ANEW;
            end(host, slot, current.ended(event.time(), event.who(), ""));
            begin(host, slot, event, anew ? event.purpose() : event.purpose().or(current.purpose()));
        }
    }

    /** Returns whether a drain gives a hold another time, reason or author. What was before keeps its reason and its author. */
    private static boolean changes(Outage current, PastEvent drain) {
        boolean same = current.reason().equals(drain.reason())
                && current.by().equals(drain.who())
                && drain.purpose().or(current.purpose()).equals(current.purpose());
        return switch (drain.kind()) {
            case DRAIN_ANEW -> true;
            case DRAIN_REASON -> !same;
            default -> !same && current.reason().isEmpty();
        };
    }

    private void undrain(String host, PastEvent event) {
        if (event.holder().equals(HoldChanges.Undrained.EVERYBODY)) {
            endAll(host, Outage.Kind.DRAINED, event, event.reason());
            return;
        }
        Slot slot = new Slot(Outage.Kind.DRAINED, event.holder());
        if (!of(host).containsKey(slot)) {
            put(host, slot, Outage.open(Outage.Kind.DRAINED, event.holder(), "", 0, ""));
        }
        endOne(host, slot, event);
    }

    /**
     * Applies a new R. New hosts that begin offline are offline from the time of the event. For hosts that left R, only the
     * changes that admins made continue.
     */
    private void define(PastEvent event) {
        Set<String> next = wanted(event.hosts()).collect(Collectors.toCollection(LinkedHashSet::new));
        seen.addAll(next);
        Set<String> before = hosts == null ? next : hosts;
        for (String host : before) {
            if (!next.contains(host)) {
                leave(host, event);
            }
        }
        for (String host : next) {
            if (!before.contains(host) && event.kind() == PastEvent.Kind.DEFINE_OFFLINE) {
                Outage outage = Outage.open(Outage.Kind.OFFLINE, "", LivenessState.ASSUMED, event.time(), "");
                put(host, new Slot(Outage.Kind.OFFLINE, ""), outage);
            }
        }
        hosts = next;
    }

    private void leave(String host, PastEvent event) {
        for (Outage.Kind kind : List.of(Outage.Kind.OFFLINE, Outage.Kind.TORPID, Outage.Kind.LOST)) {
            endAll(host, kind, event, event.reason());
        }
        endOne(host, new Slot(Outage.Kind.EXCLUDED, PastEvent.CONFIG), event);
    }

    /** Returns the open intervals of a host, as of now: the result does not change later. */
    private Map<Slot, Outage> of(String host) {
        return open.getOrDefault(host, Map.of());
    }

    private void put(String host, Slot slot, Outage outage) {
        Map<Slot, Outage> slots = of(host);
        count += slots.containsKey(slot) ? 0 : 1;
        if (slots.isEmpty()) {
            open.put(host, Map.of(slot, outage)); // most hosts have one interval at most, and this map is small
        } else {
            Map<Slot, Outage> more = new LinkedHashMap<>(slots);
            more.put(slot, outage);
            open.put(host, more);
        }
    }

    private void begin(String host, Slot slot, PastEvent event) {
        begin(host, slot, event, event.purpose());
    }

    private void begin(String host, Slot slot, PastEvent event, Purpose purpose) {
        String holder = slot.kind() == Outage.Kind.DRAINED ? slot.holder() : "";
        Outage outage = Outage.open(slot.kind(), holder, event.reason(), event.time(), event.who())
                .of(purpose);
        if (!of(host).containsKey(slot)) {
            put(host, slot, outage);
        }
    }

    private void endAll(String host, Outage.Kind kind, PastEvent event, String comment) {
        of(host).forEach((slot, outage) -> {
            if (slot.kind() == kind) {
                end(host, slot, outage.ended(event.time(), event.who(), comment));
            }
        });
    }

    private void endOne(String host, Slot slot, PastEvent event) {
        Outage current = of(host).get(slot);
        if (current != null) {
            end(host, slot, current.ended(event.time(), event.who(), event.reason()));
        }
    }

    private void end(String host, Slot slot, Outage interval) {
        Map<Slot, Outage> left = new LinkedHashMap<>(of(host));
        count -= left.remove(slot) == null ? 0 : 1;
        if (left.isEmpty()) {
            open.remove(host);
        } else {
            open.put(host, left);
        }
        ended(host, interval);
    }

    private void ended(String host, Outage interval) {
        ended.computeIfAbsent(interval, i -> new ArrayList<>()).add(host);
    }

    /** Returns the time of the first known event; 0 if there is none. */
    public double first() {
        return first;
    }

    /** Returns the wanted hosts that an event, a state or R has named. */
    Set<String> seen() {
        return seen;
    }

    /** Returns the number of open intervals, counted for each host. Each of them takes memory. */
    int opened() {
        return count;
    }

    int ended() {
        return ended.size();
    }

    /** Removes and returns the intervals that have ended, each with its hosts in the order in which the events named them. */
    Map<Outage, List<String>> takeEnded() {
        Map<Outage, List<String>> taken = new LinkedHashMap<>(ended);
        ended.clear();
        return taken;
    }

    /** Returns all intervals ordered by their beginning, each with its hosts in the order in which the events named them. */
    public List<Map.Entry<Outage, List<String>>> intervals() {
        Map<Outage, List<String>> all = new LinkedHashMap<>();
        ended.forEach((interval, hosts) -> all.put(interval, new ArrayList<>(hosts)));
        open.forEach((host, slots) -> slots.values()
                .forEach(interval ->
                        all.computeIfAbsent(interval, i -> new ArrayList<>()).add(host)));
        List<Map.Entry<Outage, List<String>>> sorted = new ArrayList<>(all.entrySet());
        sorted.sort(Comparator.comparingDouble(entry -> entry.getKey().from()));
        return sorted;
    }
}
