package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;

/** Decides from where the graph of a resource set comes. */
public final class Structure {
    private Structure() {}

    /** Returns R's own graph or, if R has none, a graph of its hosts and their resources in the given detail. */
    public static ResourceGraph of(ResourceSet r, Detail detail) {
        return of(r, List.of(), detail);
    }

    /**
     * Returns the graph that {@code [[graph]]} entries describe. Without entries, returns R's own graph or, if R has none, a
     * graph of its hosts and their resources in the given detail.
     *
     * @throws InvalidException if R's own graph cannot be read
     */
    public static ResourceGraph of(ResourceSet r, List<GraphEntry> entries, Detail detail) {
        JsonNode scheduling = r.scheduling();
        return entries.isEmpty() && scheduling != null && scheduling.has("graph")
                ? Jgf.read(scheduling).withProperties(r)
                : ResourceGraph.of(r, entries, detail);
    }
}
