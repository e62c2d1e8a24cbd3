package io.muster.inventory.graph;

import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TreePool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Selects the source of the graph of a resource set. */
public final class Structure {
    private Structure() {}

    /**
     * Returns R's own graph or, if R has none, a graph of its hosts and their resources in the given detail.
     *
     * @throws InvalidException if R's own graph has faults
     */
    public static ResourceGraph of(ResourceSet r, Detail detail) {
        return of(r, List.of(), detail);
    }

    /**
     * Returns the graph that {@code [[graph]]} entries describe. Without entries, returns R's own graph or, if R has none, a
     * graph of its hosts and their resources in the given detail.
     *
     * @throws InvalidException if R's own graph has faults
     */
    public static ResourceGraph of(ResourceSet r, List<GraphEntry> entries, Detail detail) {
        ResourceGraph given = given(r, entries, detail);
        return given == null ? ResourceGraph.of(r, detail) : given;
    }

    /** Returns the graph that {@code entries} or else {@code scheduling} of R describe, or null if neither describes one. */
    public static @Nullable ResourceGraph given(ResourceSet r, List<GraphEntry> entries, Detail detail) {
        if (!entries.isEmpty()) {
            return ResourceGraph.of(r, entries, List.of(), detail);
        }
        RawJson scheduling = r.scheduling();
        if (scheduling != null && scheduling.outline().has("graph") && !TreePool.isWriterOf(scheduling)) {
            return Jgf.read(scheduling).withProperties(r);
        }
        Problems problems = new Problems();
        TreePool topology = TreePool.read(r, problems);
        problems.throwIfAny("R");
        return topology == null || detail == Detail.NODES
                ? null
                : ResourceGraph.of(r, List.of(), topology.entries(), detail);
    }
}
