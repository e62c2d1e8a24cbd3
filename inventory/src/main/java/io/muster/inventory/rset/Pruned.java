package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;

/**
 * A resource set from which ranks were removed, also from {@code scheduling}.
 *
 * @param scheduling what happened to {@code scheduling}, which an admin is told in a note
 */
public record Pruned(ResourceSet resources, Scheduling scheduling) {
    /** What happened to {@code scheduling}. */
    public enum Scheduling {
        /** The set had no {@code scheduling}. */
        ABSENT,
        /** The value is unchanged, because it does not mention the removed ranks. */
        KEPT,
        /** The value is a graph and lost the vertices of the removed ranks. */
        PRUNED,
        /** The value was removed, because it is not a graph and might still offer the removed ranks. */
        DROPPED
    }

    /** Removes ranks from a set together with their part of {@code scheduling}. */
    static Pruned of(ResourceSet set, Idset removed) {
        Idset lost = set.ranks().intersect(removed);
        ResourceSet remaining = set.remove(lost);
        JsonNode scheduling = set.scheduling();
        if (scheduling == null) {
            return new Pruned(remaining, Scheduling.ABSENT);
        }
        if (lost.isEmpty()) {
            return new Pruned(remaining, Scheduling.KEPT);
        }
        Jgf graph = remaining.ranks().isEmpty() ? null : Jgf.of(scheduling);
        if (graph == null) {
            return new Pruned(remaining.withoutScheduling(), Scheduling.DROPPED);
        }
        ObjectNode prunedScheduling = graph.without(vertex -> graph.isFor(vertex, lost, set.placement()));
        return prunedScheduling == null
                ? new Pruned(remaining, Scheduling.KEPT)
                : new Pruned(remaining.withOwnScheduling(prunedScheduling), Scheduling.PRUNED);
    }
}
