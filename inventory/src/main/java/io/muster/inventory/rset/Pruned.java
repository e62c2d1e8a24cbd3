package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;

/**
 * What is left of a resource set when ranks were taken out of it and of its {@code scheduling}.
 *
 * @param scheduling what became of {@code scheduling}, for a note to the admin
 */
public record Pruned(ResourceSet resources, Scheduling scheduling) {
    /** What became of {@code scheduling}. */
    public enum Scheduling {
        /** There was none. */
        ABSENT,
        /** It never spoke of the ranks that were taken out. */
        KEPT,
        /** It is a graph, and lost the vertices of these ranks. */
        PRUNED,
        /** It is no graph, and might still offer these ranks. */
        DROPPED
    }

    /** Takes ranks out of a set together with their part of {@code scheduling}. */
    static Pruned of(ResourceSet set, Idset removed) {
        Idset lost = set.ranks().intersect(removed);
        ResourceSet left = set.remove(lost);
        JsonNode scheduling = set.scheduling();
        if (scheduling == null) {
            return new Pruned(left, Scheduling.ABSENT);
        }
        if (lost.isEmpty()) {
            return new Pruned(left, Scheduling.KEPT);
        }
        Jgf graph = left.ranks().isEmpty() ? null : Jgf.of(scheduling);
        if (graph == null) {
            return new Pruned(left.withoutScheduling(), Scheduling.DROPPED);
        }
        ObjectNode rest = graph.without(vertex -> graph.isFor(vertex, lost, set.placement()));
        return rest == null
                ? new Pruned(left, Scheduling.KEPT)
                : new Pruned(left.withOwnScheduling(rest), Scheduling.PRUNED);
    }
}
