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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Finds vertices by their paths. The graph is made once for each definition of R. Any thread may use this class. */
final class Vertices {
    private @Nullable ResourceSet base;
    private @Nullable ResourceGraph graph;

    /** Returns the function of one request that finds the places of the vertices that a path names. */
    Function<String, Places> in(InventoryState state) {
        ResourceSet r = state.definition().base();
        Paths paths = new Paths(graph(r), r);
        return path -> LiveGraph.places(paths, paths.find(path));
    }

    @SuppressWarnings("ReferenceEquality") // a definition keeps its base R when properties change
    private synchronized ResourceGraph graph(ResourceSet r) {
        ResourceGraph known = graph;
        if (known == null || base != r) {
            try {
                known = Structure.of(r, Detail.UNITS);
            } catch (InvalidException e) {
                throw new UnknownPathException("R's scheduling graph cannot be read: " + e.getMessage());
            }
            graph = known;
            base = r;
        }
        return known;
    }
}
