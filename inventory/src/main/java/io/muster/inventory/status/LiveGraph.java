package io.muster.inventory.status;

import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;

/** Adds what is known at present to the structure of the resources. */
public final class LiveGraph {
    private LiveGraph() {}

    /** Returns the graph with the state of each node. */
    public static ResourceGraph of(ResourceGraph structure, InventoryState state) {
        ResourceSet r = state.resources();
        Idset drained = state.holds().held().intersect(state.members());
        ResourceGraph live = structure.withLiveState(r, state.view().up(), drained);
        return live.state(live.nodesOf(r, r.ranks().subtract(state.members())), Extended.EXCLUDED);
    }
}
