package io.muster.inventory.axis;

import io.muster.inventory.json.Extras;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The data kept for a host that R no longer names, so that the host returns in the state in which it left. Holds that expire
 * meanwhile are lifted when the host returns. Two facts are not kept. The loss of a host is forgotten, because a host of the
 * same name in a later R is present again. An exclusion by the configuration is forgotten, because it is computed anew
 * whenever R is defined.
 *
 * @param plans planned holds
 * @param absences exclusions of the host by admins
 * @param added names of properties that admins added to the host
 * @param removed names of properties that admins removed from the host
 * @param notes notes on the host's vertices, by path below its node
 * @param extras members that another version wrote and this version does not know
 */
public record Departed(
        @Nullable HoldSet holds,
        @Nullable HoldSet plans,
        List<Membership.Absence> absences,
        List<String> added,
        List<String> removed,
        SortedMap<String, Note> notes,
        Extras extras) {
    public Departed(
            @Nullable HoldSet holds, List<Membership.Absence> absences, List<String> added, List<String> removed) {
        this(holds, null, absences, added, removed, new TreeMap<>(), Extras.NONE);
    }

    /** Returns whether the host would be drained if it returned now. */
    public boolean isHeldAt(double now) {
        return holds != null && holds.holds().stream().anyMatch(hold -> !hold.expiredAt(now));
    }

    public Departed withHolds(@Nullable HoldSet newHolds) {
        return new Departed(newHolds, plans, absences, added, removed, notes, extras);
    }

    public Departed withPlans(@Nullable HoldSet newPlans) {
        return new Departed(holds, newPlans, absences, added, removed, notes, extras);
    }

    /** Returns this data after a change of the note on one vertex. */
    public Departed withNote(String path, UnaryOperator<@Nullable Note> change) {
        SortedMap<String, Note> changed = new TreeMap<>(notes);
        Note note = change.apply(changed.remove(path));
        if (note != null) {
            changed.put(path, note);
        }
        return new Departed(holds, plans, absences, added, removed, changed, extras);
    }

    /** Returns this data without exclusions. */
    public Departed included() {
        return new Departed(holds, plans, List.of(), added, removed, notes, extras);
    }

    public boolean isEmpty() {
        return holds == null
                && plans == null
                && absences.isEmpty()
                && added.isEmpty()
                && removed.isEmpty()
                && notes.isEmpty()
                && extras.equals(Extras.NONE);
    }

    /**
     * Merges the data of two ranks of one host. The result has every hold of both ranks; if both have a hold by the same
     * holder, the hold in {@code a} stays, as the note in {@code a} does if both have one on the same vertex.
     */
    public static Departed merge(Departed a, Departed b) {
        SortedMap<String, Note> notes = new TreeMap<>(b.notes);
        notes.putAll(a.notes);
        return new Departed(
                HoldSet.union(a.holds, b.holds),
                HoldSet.union(a.plans, b.plans),
                a.absences.isEmpty() ? b.absences : a.absences,
                union(a.added, b.added),
                union(a.removed, b.removed),
                notes,
                a.extras.equals(Extras.NONE) ? b.extras : a.extras);
    }

    private static List<String> union(List<String> a, List<String> b) {
        TreeSet<String> all = new TreeSet<>(a);
        all.addAll(b);
        return List.copyOf(all);
    }
}
