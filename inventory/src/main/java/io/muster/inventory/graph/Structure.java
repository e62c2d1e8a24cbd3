package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.rset.ResourceSet;

/** Decides from where the graph of a resource set comes. */
public final class Structure {
    private Structure() {}

    /** Returns R's own graph or, if R has none, a graph of its hosts and their resources in the given detail. */
    public static ResourceGraph of(ResourceSet r, Detail detail) {
        JsonNode scheduling = r.scheduling();
        return scheduling != null && scheduling.has("graph")
                ? Jgf.read(scheduling).withProperties(r)
                : ResourceGraph.of(r, detail);
    }
}
