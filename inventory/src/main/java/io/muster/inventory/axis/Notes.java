package io.muster.inventory.axis;

import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.SortedTree;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The notes on vertices of the resource graph. A note on a vertex of a node is stored by the node's rank and the path below the
 * node, so that the note follows its host and a note on the same part of a million nodes is one interval. Any other note is
 * stored by its absolute path. See {@link Places}.
 */
public final class Notes {
    public static final Notes NONE = new Notes(SortedTree.empty(), SortedTree.empty());

    /** The highest number of separately stored notes: intervals of ranks with equal notes, and absolute paths. */
    public static final int MOST = 1 << 18;

    /**
     * The highest number of characters in all separately stored notes. An answer that lists all notes has about the same length
     * and is built in memory. A time with its author counts as 64 characters.
     */
    public static final long MOST_TEXT = 32L << 20;

    private final SortedTree<String, IdMap<Note>> inside;
    private final SortedTree<String, Note> outside;

    private Notes(SortedTree<String, IdMap<Note>> inside, SortedTree<String, Note> outside) {
        this.inside = inside;
        this.outside = outside;
    }

    /** Returns the notes by path below a node and by rank. */
    public SortedTree<String, IdMap<Note>> inside() {
        return inside;
    }

    /** Returns the notes by absolute path. */
    public SortedTree<String, Note> outside() {
        return outside;
    }

    public boolean isEmpty() {
        return inside.isEmpty() && outside.isEmpty();
    }

    public IdMap<Note> below(String path) {
        return inside.getOrDefault(path, IdMap.empty());
    }

    /** Returns the notes on the vertices of a rank, by path below the node. */
    public SortedMap<String, Note> on(int rank) {
        return on(Idset.of(rank)).getOrDefault(rank, new TreeMap<>());
    }

    /** Returns the notes on the vertices of ranks, by rank and path below the node. Ranks without notes are left out. */
    public Map<Integer, SortedMap<String, Note>> on(Idset ranks) {
        Map<Integer, SortedMap<String, Note>> found = new HashMap<>();
        inside.forEach((path, notes) -> notes.forEachIn(ranks, (first, last, note) -> {
            for (int rank = first; rank <= last; rank++) {
                found.computeIfAbsent(rank, r -> new TreeMap<>()).put(path, note);
            }
        }));
        return found;
    }

    /** Returns the ranks that have a note on any of their vertices. */
    public Idset ranks() {
        Idset.Builder ranks = Idset.builder();
        inside.values().forEach(notes -> notes.forEach((first, last, note) -> ranks.addRange(first, last)));
        return ranks.build();
    }

    /**
     * Returns the places whose note satisfies a test, which gets null where there is no note. Departed hosts are left out.
     */
    public Places matching(Places places, Predicate<@Nullable Note> test) {
        Places found = Places.NONE;
        for (Map.Entry<String, Idset> path : places.inside().entrySet()) {
            Idset.Builder ranks = Idset.builder();
            Idset.Builder noted = Idset.builder();
            below(path.getKey()).forEachIn(path.getValue(), (first, last, note) -> {
                noted.addRange(first, last);
                if (test.test(note)) {
                    ranks.addRange(first, last);
                }
            });
            if (test.test(null)) {
                ranks.addAll(path.getValue().subtract(noted.build()));
            }
            found = found.within(path.getKey(), ranks.build());
        }
        for (String path : places.outside().keySet()) {
            found = test.test(outside.get(path)) ? found.at(path) : found;
        }
        return found;
    }

    /** Returns the notes after {@code change} was applied to the notes at {@code places}. The function returns null to remove a note. */
    public Notes change(Places places, UnaryOperator<@Nullable Note> change) {
        Notes next = this;
        for (Map.Entry<String, Idset> path : places.inside().entrySet()) {
            next = next.with(path.getKey(), next.below(path.getKey()).update(path.getValue(), change));
        }
        SortedTree<String, Note> paths = outside;
        for (String path : places.outside().keySet()) {
            Note note = change.apply(paths.get(path));
            paths = note == null ? paths.without(path) : paths.with(path, note);
        }
        return new Notes(next.inside, paths);
    }

    /** Returns these notes, with the notes on the vertices of one path below all nodes replaced by {@code notes}. */
    public Notes with(String path, IdMap<Note> notes) {
        return new Notes(notes.isEmpty() ? inside.without(path) : inside.with(path, notes), outside);
    }

    public Notes withOutside(String path, Note note) {
        return new Notes(inside, outside.with(path, note));
    }

    /** Returns the notes under the new ranks of their hosts. */
    public Notes translate(Remap remap) {
        Notes next = new Notes(SortedTree.empty(), outside);
        for (Map.Entry<String, IdMap<Note>> path : inside.entrySet()) {
            IdMap<Note> moved = IdMap.empty();
            for (Map.Entry<Note, Idset> group : path.getValue().groups().entrySet()) {
                moved = moved.put(remap.translate(group.getValue()), group.getKey());
            }
            next = next.with(path.getKey(), moved);
        }
        return next;
    }

    /** Adds the notes of a host that left R to the ranks that the host has in the current R. */
    public Notes returning(SortedMap<String, Note> notes, Idset ranks) {
        Notes next = this;
        for (Map.Entry<String, Note> note : notes.entrySet()) {
            next = next.with(note.getKey(), next.below(note.getKey()).put(ranks, note.getValue()));
        }
        return next;
    }

    /**
     * Returns a sentence if the notes exceed a limit and are more than {@code before}, or null. The cost grows with the number
     * of notes.
     *
     * @param departed hosts that left R, whose notes count too
     */
    public @Nullable String excess(Notes before, Collection<Departed> departed) {
        Sums sums = sums(departed);
        if (sums.apart <= MOST && sums.characters <= MOST_TEXT) {
            return null;
        }
        Sums earlier = before.sums(departed);
        if (sums.apart > MOST && sums.apart > earlier.apart) {
            return "there would be " + sums.apart + " separate notes, and there may be " + MOST
                    + ": remove tags that nobody needs, or give neighbouring ranks the same tags";
        }
        return sums.characters > MOST_TEXT && sums.characters > earlier.characters
                ? "all tags, marks and data would have " + sums.characters + " characters, and may have " + MOST_TEXT
                        + ": remove what nobody needs"
                : null;
    }

    /** @param characters the approximate length of an answer that lists all notes */
    private record Sums(long apart, long characters) {}

    private Sums sums(Collection<Departed> departed) {
        long[] sums = new long[2];
        Consumer<Note> add = note -> {
            sums[0]++;
            sums[1] += note.length();
        };
        outside.values().forEach(add);
        inside.values().forEach(notes -> notes.forEach((first, last, note) -> add.accept(note)));
        departed.forEach(host -> host.notes().values().forEach(add));
        return new Sums(sums[0], sums[1]);
    }
}
