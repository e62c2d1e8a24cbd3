package io.muster.inventory.state;

import io.muster.inventory.axis.Acquisition;
import io.muster.inventory.axis.Boot;
import io.muster.inventory.axis.Definition;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Holds;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Membership;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.axis.Reports;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import io.muster.inventory.json.Extras;
import io.muster.inventory.level.Level;
import io.muster.inventory.rset.Pruned;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The whole inventory after some event: R, and for each rank the four axes of membership, liveness, holds and properties.
 * {@code command.decide(state, now, by)} returns the events that a command leads to, and {@link #apply} returns the state
 * after an event; neither uses anything but its arguments, so the same journal always gives the same state.
 */
public final class InventoryState {
    private final Definition definition;
    private final Membership membership;
    private final Liveness liveness;
    private final Holds holds;
    private final SortedMap<String, Departed> departed;
    private final Bookkeeping books;

    /**
     * The view of schedulers, which {@link #view} computes from the other fields when it is first called, because this is
     * costly if the sets are fragmented.
     */
    private @Nullable SchedulerView view;

    InventoryState(
            Definition definition,
            Membership membership,
            Liveness liveness,
            Holds holds,
            SortedMap<String, Departed> departed,
            Bookkeeping books) {
        this.definition = definition;
        this.membership = membership;
        this.liveness = liveness;
        this.holds = holds;
        this.departed = Collections.unmodifiableSortedMap(departed);
        this.books = books;
    }

    /** Returns the state of a new inventory in the newest level: nothing is defined and there are no ranks. */
    public static InventoryState empty() {
        return empty(Level.NEWEST);
    }

    public static InventoryState empty(Level level) {
        return new InventoryState(
                Definition.of(ResourceSet.EMPTY, "none"),
                Membership.ALL,
                Liveness.NONE,
                Holds.NONE,
                new TreeMap<>(),
                Bookkeeping.at(level));
    }

    public InventoryState apply(Event event, double time, Principal by) {
        return event.applyTo(this, time, by);
    }

    public ResourceSet resources() {
        return definition.resources();
    }

    public Definition definition() {
        return definition;
    }

    public Membership membership() {
        return membership;
    }

    public Liveness liveness() {
        return liveness;
    }

    public Holds holds() {
        return holds;
    }

    /** Returns the planned holds, which have not begun. */
    public Holds plans() {
        return books.plans();
    }

    /** Returns the highest number of an attempt that was given to a hold; 0 for none. */
    public long attempts() {
        return books.attempts();
    }

    /** Returns the hosts that left R, with the data that is kept for them. Hosts without such data are not remembered. */
    public SortedMap<String, Departed> departed() {
        return departed;
    }

    /** Returns the level in which the state directory is written. */
    public Level level() {
        return books.level();
    }

    /** Returns the acquisitions that have an owner, by owner. */
    public SortedMap<String, Acquisition> acquisitions() {
        return books.acquisitions();
    }

    /** Returns the notes on vertices of the resource graph. */
    public Notes notes() {
        return books.notes();
    }

    /** Returns the places whose note satisfies a test, which gets null where there is no note. */
    Places notesAt(Places places, Predicate<@Nullable Note> test) {
        Places found = notes().matching(places, test);
        for (Map.Entry<String, Hostlist> path : places.departed().entrySet()) {
            String below = path.getKey();
            found = found.away(
                    below,
                    departed(path.getValue(), data -> test.test(data.notes().get(below))));
        }
        return found;
    }

    /** Changes the notes at places. */
    InventoryState withNotes(Places places, UnaryOperator<@Nullable Note> change) {
        InventoryState next = with(books.with(notes().change(places, change)));
        for (Map.Entry<String, Hostlist> path : places.departed().entrySet()) {
            next = next.withDeparted(path.getValue(), data -> data.withNote(path.getKey(), change));
        }
        return next;
    }

    InventoryState withLevel(Level level) {
        return with(books.with(level));
    }

    InventoryState withAcquisition(Acquisition acquisition) {
        return with(books.with(acquisition));
    }

    InventoryState withoutAcquisition(String owner) {
        return with(books.withoutAcquisition(owner));
    }

    InventoryState withReports(UnaryOperator<Reports> change) {
        return withLiveness(live -> live.with(change.apply(live.reports())));
    }

    private InventoryState with(Bookkeeping next) {
        return new InventoryState(definition, membership, liveness, holds, departed, next);
    }

    ChangeIds ids() {
        return books.ids();
    }

    Bookkeeping books() {
        return books;
    }

    /** Returns the sequence number of the last entry of the change to which this user gave this id; 0 if there is none. */
    public long seqOf(ChangeId id, Principal by) {
        ChangeIds.Given given = ids().find(id.id(), by);
        return given == null ? 0 : given.seq();
    }

    /**
     * Returns the decision about a change if this user gave its id to one of the last changes; null if the id is new. The same request is
     * accepted and changes nothing, another request is rejected.
     */
    public @Nullable Decision repetition(ChangeId id, Principal by) {
        ChangeIds.Given given = ids().find(id.id(), by);
        if (given == null) {
            return null;
        }
        return given.id().request().equals(id.request())
                ? Decision.accept()
                : Decision.reject(
                        Decision.Rejection.Kind.INVALID,
                        "id " + id.id() + " belongs to another change already, seq " + given.seq()
                                + ": give each change an id of its own");
    }

    /**
     * Returns the state that remembers the id of the change that has just been applied.
     *
     * @param seq sequence number of the last entry of the change
     */
    InventoryState remember(ChangeId id, double time, Principal by, long seq) {
        return with(books.with(ChangeIds.Given.of(id, by, time, seq)));
    }

    /** Returns the hosts in {@code hosts} that have departed and satisfy {@code test}. */
    Hostlist departed(Hostlist hosts, Predicate<Departed> test) {
        return Hostlist.of(hosts.stream()
                .filter(host -> {
                    Departed data = departed.get(host);
                    return data != null && test.test(data);
                })
                .toList());
    }

    /** Returns the ranks offered to a scheduler that acquires now. */
    public Idset members() {
        return resources().ranks().subtract(membership.excluded()).subtract(membership.lost());
    }

    /**
     * Returns R for the next scheduler that acquires: without excluded and lost ranks, also in the scheduling graph, which has the
     * properties of R.
     */
    public Pruned offered() {
        return resources()
                .prune(membership.excluded().union(membership.lost()))
                .withPropertiesInGraph(definition.removed());
    }

    public SchedulerView view() {
        SchedulerView seen = view;
        if (seen == null) {
            Idset members = members();
            Idset up = liveness.online().intersect(members).subtract(holds.held());
            seen = new SchedulerView(
                    members,
                    up,
                    membership.lost(),
                    resources().properties(),
                    resources().expiration());
            view = seen;
        }
        return seen;
    }

    InventoryState withDefinition(UnaryOperator<Definition> change) {
        return new InventoryState(change.apply(definition), membership, liveness, holds, departed, books);
    }

    InventoryState withMembership(UnaryOperator<Membership> change) {
        return new InventoryState(definition, change.apply(membership), liveness, holds, departed, books);
    }

    InventoryState withLiveness(UnaryOperator<Liveness> change) {
        return new InventoryState(definition, membership, change.apply(liveness), holds, departed, books);
    }

    InventoryState withHolds(UnaryOperator<Holds> change) {
        return new InventoryState(definition, membership, liveness, change.apply(holds), departed, books);
    }

    /** Returns the boot id that a host of R has reported last; null if it has reported none. */
    public @Nullable Boot bootOf(String host) {
        return books.boots().get(host);
    }

    InventoryState withBoot(String host, Boot boot) {
        return with(books.with(books.boots().with(host, boot)));
    }

    InventoryState withPlans(UnaryOperator<Holds> change) {
        return with(books.with(change.apply(plans())));
    }

    /** Returns the state that does not give the number of this attempt again. */
    InventoryState withAttempt(long number) {
        return with(books.withAttempt(number));
    }

    /** Changes the data of departed hosts. Hosts without any data afterwards are forgotten. */
    InventoryState withDeparted(Hostlist hosts, UnaryOperator<Departed> change) {
        if (hosts.isEmpty()) {
            return this;
        }
        SortedMap<String, Departed> nextDeparted = new TreeMap<>(departed);
        hosts.stream()
                .forEach(host -> nextDeparted.computeIfPresent(host, (h, data) -> {
                    Departed changed = change.apply(data);
                    return changed.isEmpty() ? null : changed;
                }));
        return new InventoryState(definition, membership, liveness, holds, nextDeparted, books);
    }

    /** Returns which hosts a new R would add, move and remove, for reports before and after the change. */
    public Remap remapTo(ResourceSet next) {
        return Remap.between(resources(), next);
    }

    /**
     * Returns the state under a new R. Hosts that the new R does not name depart with their holds; hosts that return get their
     * holds back.
     */
    InventoryState redefine(ResourceSet next, String method, LivenessState initial) {
        Remap remap = remapTo(next);
        Definition defined = definition.redefine(next, method, remap);
        if (remap.isIdentity()) {
            return new InventoryState(defined, membership, liveness, holds, departed, books);
        }
        SortedMap<String, Departed> nextDeparted = new TreeMap<>(departed);
        depart(nextDeparted, remap.vanishedRanks().intersect(ranksWithSettings()));
        Map<Departed, Idset> returning = takeReturning(remap, nextDeparted);
        return new InventoryState(
                withProperties(defined, returning),
                remapMembership(remap, returning),
                remapLiveness(remap, initial),
                remapped(holds, remap, returning, Departed::holds),
                nextDeparted,
                books.with(staying(remap))
                        .with(remapNotes(remap, returning))
                        .with(remapped(plans(), remap, returning, Departed::plans)));
    }

    /** Returns the boot ids of the hosts that the new R names too. */
    private SortedTree<String, Boot> staying(Remap remap) {
        SortedTree<String, Boot> boots = books.boots();
        Idset gone = boots.isEmpty() ? Idset.EMPTY : remap.vanishedRanks();
        for (String host : resources().hostsOf(gone).expand()) {
            boots = boots.without(host);
        }
        return boots;
    }

    /** Returns the ranks for which admins have set something that must be kept if the host leaves R. */
    private Idset ranksWithSettings() {
        Idset.Builder ranks = Idset.builder()
                .addAll(holds.held())
                .addAll(plans().held())
                .addAll(membership.ranks(Membership.Kind.ADMIN));
        definition.added().values().forEach(ranks::addAll);
        definition.removed().values().forEach(ranks::addAll);
        return ranks.addAll(notes().ranks()).build();
    }

    private void depart(SortedMap<String, Departed> nextDeparted, Idset ranks) {
        Map<Integer, List<String>> added = Definition.namesOn(definition.added(), ranks);
        Map<Integer, List<String>> removed = Definition.namesOn(definition.removed(), ranks);
        Map<Integer, SortedMap<String, Note>> noted = notes().on(ranks);
        Iterator<String> hosts = resources().hostsOf(ranks).stream().iterator();
        ranks.forEach(rank -> {
            List<Membership.Absence> absences = new ArrayList<>(membership.of(rank));
            absences.removeIf(absence -> absence.kind() != Membership.Kind.ADMIN);
            Departed leaving = new Departed(
                    holds.on(rank),
                    plans().on(rank),
                    absences,
                    added.getOrDefault(rank, List.of()),
                    removed.getOrDefault(rank, List.of()),
                    noted.getOrDefault(rank, new TreeMap<>()),
                    Extras.NONE);
            String host = hosts.next();
            if (!leaving.isEmpty()) {
                nextDeparted.merge(host, leaving, Departed::merge);
            }
        });
    }

    /**
     * Removes from {@code nextDeparted} the hosts that are in R again, and returns their data with their ranks. Only added
     * ranks can belong to such a host, because the hosts of other ranks never left.
     */
    private static Map<Departed, Idset> takeReturning(Remap remap, SortedMap<String, Departed> nextDeparted) {
        Map<Departed, Idset.Builder> ranks = new LinkedHashMap<>();
        Set<String> hosts = new HashSet<>();
        if (!nextDeparted.isEmpty()) {
            remap.addedRanks().forEach(rank -> {
                String host = remap.to().hostOf(rank);
                Departed data = nextDeparted.get(host);
                if (data != null) {
                    hosts.add(host);
                    ranks.computeIfAbsent(data, l -> Idset.builder()).add(rank);
                }
            });
        }
        nextDeparted.keySet().removeAll(hosts);
        Map<Departed, Idset> returning = new LinkedHashMap<>();
        ranks.forEach((data, builder) -> returning.put(data, builder.build()));
        return returning;
    }

    private static Definition withProperties(Definition defined, Map<Departed, Idset> returning) {
        return defined.withProperties(named(returning, Departed::added))
                .withoutProperties(named(returning, Departed::removed));
    }

    private static SortedMap<String, Idset> named(
            Map<Departed, Idset> returning, Function<Departed, List<String>> names) {
        SortedMap<String, Idset.Builder> builders = new TreeMap<>();
        returning.forEach((data, ranks) -> names.apply(data)
                .forEach(name ->
                        builders.computeIfAbsent(name, n -> Idset.builder()).addAll(ranks)));
        SortedMap<String, Idset> named = new TreeMap<>();
        builders.forEach((name, ranks) -> named.put(name, ranks.build()));
        return named;
    }

    private Membership remapMembership(Remap remap, Map<Departed, Idset> returning) {
        Membership.Builder next = new Membership.Builder();
        membership.groups().forEach((absence, ranks) -> next.add(remap.translate(ranks), absence));
        returning.forEach((data, ranks) -> data.absences().forEach(absence -> next.add(ranks, absence)));
        return next.build();
    }

    private Liveness remapLiveness(Remap remap, LivenessState initial) {
        IdMap<LivenessState> next = IdMap.<LivenessState>empty().put(remap.to().ranks(), initial);
        for (var group : liveness.groups().entrySet()) {
            next = next.put(remap.translate(group.getValue()), group.getKey());
        }
        return Liveness.of(next).with(liveness.reports().translate(remap::translate));
    }

    private static Holds remapped(
            Holds holds, Remap remap, Map<Departed, Idset> returning, Function<Departed, @Nullable HoldSet> of) {
        IdMap<HoldSet> next = IdMap.empty();
        for (var group : holds.groups().entrySet()) {
            next = next.put(remap.translate(group.getValue()), group.getKey());
        }
        for (var host : returning.entrySet()) {
            HoldSet set = of.apply(host.getKey());
            next = set == null ? next : next.put(host.getValue(), set);
        }
        return holds.of(next);
    }

    private Notes remapNotes(Remap remap, Map<Departed, Idset> returning) {
        Notes next = notes().translate(remap);
        for (var host : returning.entrySet()) {
            next = next.returning(host.getKey().notes(), host.getValue());
        }
        return next;
    }
}
