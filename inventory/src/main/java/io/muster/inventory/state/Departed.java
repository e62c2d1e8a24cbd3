package io.muster.inventory.state;

import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of a host that R no longer names, so that it comes back as it left. Holds that run out meanwhile are
 * lifted when it is back. That it was lost is not remembered: leaving R is what a loss comes to, and a host of that name in a
 * later R is there again. Nor is what the configuration excludes: that speaks for itself whenever R is defined.
 *
 * @param absences how admins excluded it
 * @param added names of properties that admins gave it
 * @param removed names of properties that admins took from it
 */
public record Departed(
        @Nullable HoldSet holds, List<Membership.Absence> absences, List<String> added, List<String> removed) {
    public Departed {
        absences = List.copyOf(absences);
        added = List.copyOf(added);
        removed = List.copyOf(removed);
    }

    /** Whether it would be drained if it came back now. */
    public boolean isHeldAt(double now) {
        return holds != null && holds.holds().stream().anyMatch(hold -> !hold.expiredAt(now));
    }

    @Nullable
    Hold holdOf(String holder) {
        return holds == null ? null : holds.of(holder);
    }

    Departed withHolds(@Nullable HoldSet others) {
        return new Departed(others, absences, added, removed);
    }

    /** No longer excluded. */
    Departed included() {
        return new Departed(holds, List.of(), added, removed);
    }

    boolean isEmpty() {
        return holds == null && absences.isEmpty() && added.isEmpty() && removed.isEmpty();
    }

    /** A host that left several ranks behind: every hold on any of them, of the same kind the earlier one. */
    static Departed merge(Departed a, Departed b) {
        return new Departed(
                HoldSet.union(a.holds, b.holds),
                a.absences.isEmpty() ? b.absences : a.absences,
                union(a.added, b.added),
                union(a.removed, b.removed));
    }

    private static List<String> union(List<String> a, List<String> b) {
        TreeSet<String> all = new TreeSet<>(a);
        all.addAll(b);
        return List.copyOf(all);
    }
}
