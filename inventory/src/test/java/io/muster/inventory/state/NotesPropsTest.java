package io.muster.inventory.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Places;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Tags, marks and data of random vertices follow their hosts through new ranks, departures and returns, as in a naive model. */
class NotesPropsTest {
    private static final int STEPS = 40;
    private static final int HOSTS = 8;
    private static final Principal[] PEOPLE = {States.ALICE, States.BOB};
    private static final String[] BELOW = {"", "gpu3", "socket0/core1"};
    private static final String[] OUTSIDE = {"/c/rack1", "power:/p/pdu3"};

    /** The notes by place: {@code HOST:BELOW} or an absolute path. Values of data have the author in front. */
    private final SortedMap<String, SortedMap<String, String>> model = new TreeMap<>();

    private final States real = States.empty();
    private InventoryState replayed = InventoryState.empty();

    @Seeds
    void notesMatchTheModelAndTheJournalAndSnapshotsRestoreTheState(Random random) {
        real.run(States.define(resources(random)));
        for (int step = 0; step < STEPS; step++) {
            real.at(real.now() + 1);
            if (random.nextInt(4) == 0) {
                real.run(new DefinitionChanges.Define(resources(random), "reload", Liveness.Status.ONLINE));
            } else {
                annotate(random);
            }
            real.entries().forEach(this::replay);
            real.entries().clear();
            assertThat(seen(real.state())).isEqualTo(model);
            assertThat(States.snapshot(replayed)).isEqualTo(States.snapshot(real.state()));
            InventoryState read = StateJson.parse(States.tree(StateJson.toBytes(replayed)));
            assertThat(States.snapshot(read)).isEqualTo(States.snapshot(replayed));
            replayed = random.nextBoolean() ? read : replayed;
        }
    }

    private void replay(Entry entry) {
        Entry read = Entry.parse(States.tree(entry));
        assertThat(new String(read.toBytes(), UTF_8)).isEqualTo(new String(entry.toBytes(), UTF_8));
        replayed = read.applyTo(replayed);
    }

    private static ResourceSet resources(Random random) {
        Idset ranks = Idsets.small(random, 12).with(random.nextInt(12));
        ranks = ranks.size() > HOSTS ? ranks.intersect(Idset.range(0, ranks.nth(HOSTS - 1))) : ranks;
        List<String> hosts = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            hosts.add("n" + host);
        }
        Collections.shuffle(hosts, random);
        return States.resources(ranks.toString(), String.join(",", hosts.subList(0, ranks.size())));
    }

    /** Finds the paths {@code /c/HOST/BELOW} of the hosts in R, and {@link #OUTSIDE}. */
    private static Places find(InventoryState state, String path) {
        if (List.of(OUTSIDE).contains(path)) {
            return Places.NONE.at(path);
        }
        String[] parts = path.split("/", 4);
        Idset ranks = parts.length < 3 ? Idset.EMPTY : state.resources().ranksOf(parts[2]);
        return ranks.isEmpty()
                ? NoteChanges.Finder.NONE.in(state).apply(path)
                : Places.NONE.within(parts.length == 4 ? parts[3] : "", ranks);
    }

    private void annotate(Random random) {
        Principal by = PEOPLE[random.nextInt(PEOPLE.length)];
        NoteEdit edit = edit(random);
        List<String> places = new ArrayList<>();
        List<String> paths = new ArrayList<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            String host = "n" + random.nextInt(HOSTS);
            String below = BELOW[random.nextInt(BELOW.length)];
            boolean inside = random.nextInt(4) > 0;
            String path = inside ? "/c/" + host + (below.isEmpty() ? "" : "/" + below) : OUTSIDE[random.nextInt(2)];
            paths.add(path);
            places.add(inside ? host + ":" + below : path);
        }
        Idset all = real.state().resources().ranks();
        Idset some =
                random.nextBoolean() ? Idset.EMPTY : Idsets.small(random, 12).intersect(all);
        some.forEach(rank -> places.add(real.state().resources().hostOf(rank) + ":"));
        Decision decision = real.run(
                new NoteChanges.Annotate(
                        some.isEmpty() ? "" : some.toString(), paths, edit, state -> path -> find(state, path)),
                by);
        boolean known = places.stream().allMatch(place -> isKnown(place, edit));
        boolean foreign = places.stream().anyMatch(place -> isForeign(place, edit, by));
        assertThat(decision.rejection() == null).as("%s by %s", paths, by).isEqualTo(known && !foreign);
        if (known && !foreign) {
            SortedMap<String, SortedMap<String, String>> before = copy();
            places.forEach(place -> apply(place, edit, by));
            assertThat(decision.events().isEmpty()).isEqualTo(before.equals(model));
        }
    }

    private SortedMap<String, SortedMap<String, String>> copy() {
        SortedMap<String, SortedMap<String, String>> copy = new TreeMap<>();
        model.forEach((place, notes) -> copy.put(place, new TreeMap<>(notes)));
        return copy;
    }

    /** A path of a host that R does not name is known if it has a note that the change may remove. */
    private boolean isKnown(String place, NoteEdit edit) {
        boolean inR = place.startsWith("/")
                || place.indexOf(":/") > 0
                || real.state().resources().hosts().contains(place.split(":", 2)[0]);
        return inR || (edit.onlyRemoves() && model.containsKey(place));
    }

    private static boolean isForeign(@Nullable String known, String wanted, Principal by) {
        return known != null && !known.startsWith(by.user()) && !known.endsWith(wanted);
    }

    /** Returns whether the edit changes data of another user. Data with the same value are not changed. */
    private boolean isForeign(String place, NoteEdit edit, Principal by) {
        SortedMap<String, String> notes = model.getOrDefault(place, new TreeMap<>());
        return edit.data().entrySet().stream()
                .anyMatch(data -> data.getValue().isPresent()
                        && isForeign(
                                notes.get("data " + data.getKey()),
                                data.getValue().get(),
                                by));
    }

    private static NoteEdit edit(Random random) {
        SortedMap<String, Optional<String>> tags = new TreeMap<>();
        SortedMap<String, Optional<String>> data = new TreeMap<>();
        NoteEdit.Mark mark = null;
        boolean removes = random.nextInt(3) == 0;
        switch (random.nextInt(3)) {
            case 0 ->
                tags.put("t" + random.nextInt(2), removes ? Optional.empty() : Optional.of("v" + random.nextInt(2)));
            case 1 ->
                mark = new NoteEdit.Mark(removes ? "" : NoteEdit.STATES.get(random.nextInt(5)), removes ? "" : "r");
            default ->
                data.put("d", removes ? Optional.empty() : Optional.of("{\"x\":1.50,\"y\":" + random.nextInt(2) + "}"));
        }
        return new NoteEdit(tags, mark, data);
    }

    private void apply(String place, NoteEdit edit, Principal by) {
        SortedMap<String, String> notes = model.computeIfAbsent(place, p -> new TreeMap<>());
        edit.tags().forEach((key, value) -> set(notes, "tag " + key, value));
        NoteEdit.Mark mark = edit.mark();
        if (mark != null) {
            set(notes, "mark", mark.state().isEmpty() ? Optional.empty() : Optional.of(mark.state() + mark.reason()));
        }
        edit.data().forEach((key, value) -> {
            String old = notes.getOrDefault("data " + key, "");
            set(notes, "data " + key, value.map(json -> old.endsWith(json) ? old : by.user() + json));
        });
        if (notes.isEmpty()) {
            model.remove(place);
        }
    }

    private static void set(Map<String, String> notes, String key, Optional<String> value) {
        value.ifPresentOrElse(text -> notes.put(key, text), () -> notes.remove(key));
    }

    private static SortedMap<String, SortedMap<String, String>> seen(InventoryState state) {
        SortedMap<String, SortedMap<String, String>> seen = new TreeMap<>();
        state.resources()
                .ranks()
                .forEach(rank -> state.notes()
                        .on(rank)
                        .forEach((below, note) -> seen.put(state.resources().hostOf(rank) + ":" + below, words(note))));
        state.notes().outside().forEach((path, note) -> seen.put(path, words(note)));
        state.departed()
                .forEach((host, left) ->
                        left.notes().forEach((below, note) -> seen.put(host + ":" + below, words(note))));
        return seen;
    }

    private static SortedMap<String, String> words(Note note) {
        SortedMap<String, String> words = new TreeMap<>();
        note.tags().forEach((key, tag) -> words.put("tag " + key, tag.value()));
        Note.Fact mark = note.mark();
        if (mark != null) {
            words.put("mark", mark.value() + mark.reason());
        }
        note.data().forEach((key, data) -> words.put("data " + key, data.by().user() + data.value()));
        return words;
    }
}
