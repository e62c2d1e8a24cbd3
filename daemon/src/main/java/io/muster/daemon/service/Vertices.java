package io.muster.daemon.service;

import io.muster.inventory.axis.Places;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.LiveGraph;
import org.jspecify.annotations.Nullable;

/** Finds vertices by their paths. The graph is made once for each definition of R. Any thread may use this class. */
final class Vertices {
    private @Nullable ResourceSet base;
    private @Nullable ResourceGraph graph;
    private @Nullable InventoryState state;
    private @Nullable Paths paths;

    /**
     * Returns the places of the vertices that a path names.
     *
     * @throws UnknownPathException if there are none
     */
    synchronized Places find(InventoryState now, String path) {
        Paths known = paths(now);
        return LiveGraph.places(known, known.find(path));
    }

    /** Returns the same object until the state is another one, so that all paths of one request are found by one object. */
    @SuppressWarnings("ReferenceEquality") // each state is a new object, and a definition keeps its base R when properties change
    private Paths paths(InventoryState now) {
        ResourceSet r = now.definition().base();
        ResourceGraph known = graph;
        if (known == null || base != r) {
            try {
                known = Structure.of(r, Detail.UNITS);
            } catch (InvalidException e) {
                throw new UnknownPathException("R's scheduling graph cannot be read: " + e.getMessage());
            }
            graph = known;
            base = r;
            paths = null;
        }
        Paths found = paths;
        if (found == null || state != now) {
            found = new Paths(known, r);
            paths = found;
            state = now;
        }
        return found;
    }
}
