package io.muster.inventory.rset;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.Problems;
import java.util.Map;

/**
 * A resource set from which ranks were removed, also from {@code scheduling}.
 *
 * @param scheduling what happened to {@code scheduling}, which an admin reads in a note
 */
public record Pruned(ResourceSet resources, Scheduling scheduling) {
    /** What happened to {@code scheduling}. */
    public enum Scheduling {
        /** The set had no {@code scheduling}. */
        ABSENT,
        /** The value is unchanged, because it does not mention the removed ranks. */
        KEPT,
        /** The value lost its part about the removed ranks. */
        PRUNED,
        /** The value was removed, because Muster cannot read it and it might still offer the removed ranks. */
        DROPPED
    }

    /**
     * Returns this set with its properties at the nodes of the graph, too, because Fluxion reads them only there.
     *
     * @param removed properties that the graph may still have, with the ranks that have them no more
     */
    public Pruned withPropertiesInGraph(Map<String, Idset> removed) {
        RawJson given = resources.scheduling();
        boolean none = resources.properties().isEmpty() && removed.isEmpty();
        if (none || given == null || !given.outline().has("graph") || !SchedulingGraph.isOfFluxion(given)) {
            return this;
        }
        SchedulingGraph graph = SchedulingGraph.read(given, new Problems());
        RawJson told = graph == null ? null : graph.withProperties(resources, removed, given);
        return told == null ? this : new Pruned(resources.withScheduling(told), scheduling);
    }

    /** Removes ranks from a set together with their part of {@code scheduling}. */
    static Pruned of(ResourceSet set, Idset removed) {
        Idset lost = set.ranks().intersect(removed);
        ResourceSet remaining = set.remove(lost);
        RawJson scheduling = set.scheduling();
        if (scheduling == null) {
            return new Pruned(remaining, Scheduling.ABSENT);
        }
        if (lost.isEmpty()) {
            return new Pruned(remaining, Scheduling.KEPT);
        }
        if (TreePool.isWriterOf(scheduling) && !remaining.ranks().isEmpty()) {
            Problems problems = new Problems();
            TreePool.read(set, problems);
            return !problems.isEmpty()
                    ? new Pruned(remaining.withoutScheduling(), Scheduling.DROPPED)
                    : new Pruned(
                            remaining, scheduling.equals(remaining.scheduling()) ? Scheduling.KEPT : Scheduling.PRUNED);
        }
        SchedulingGraph graph = remaining.ranks().isEmpty() ? null : SchedulingGraph.read(scheduling, new Problems());
        if (graph == null) {
            return new Pruned(remaining.withoutScheduling(), Scheduling.DROPPED);
        }
        RawJson prunedScheduling = graph.without(lost, set, scheduling);
        return prunedScheduling == null
                ? new Pruned(remaining, Scheduling.KEPT)
                : new Pruned(remaining.withScheduling(prunedScheduling), Scheduling.PRUNED);
    }
}
