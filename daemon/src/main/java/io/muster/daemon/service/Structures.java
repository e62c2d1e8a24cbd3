package io.muster.daemon.service;

import io.muster.daemon.config.Config;
import io.muster.daemon.config.Configurable;
import io.muster.inventory.axis.Places;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.status.LiveGraph;
import java.util.List;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The resource graph without live data, in which every unit is a vertex. The graph is made once for each R and each configuration.
 * Any thread may use this class; it may take as long as reading a large graph.
 */
public final class Structures implements Configurable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private volatile List<GraphEntry> entries = List.of();
    private List<GraphEntry> used = List.of();
    private ResourceSet resources = ResourceSet.EMPTY;
    private ResourceGraph graph = ResourceGraph.of(ResourceSet.EMPTY, Detail.NODES);
    /** R that schedulers have, and its graph without the entries of the configuration. */
    private ResourceSet plain = ResourceSet.EMPTY;

    private ResourceGraph ofPlain = graph;

    @Override
    public void configure(Config next) {
        entries = next.graph();
    }

    List<GraphEntry> entries() {
        return entries;
    }

    /** Returns the function of one request that finds the places of the vertices that a path names. */
    Function<String, Places> places(InventoryState state) {
        Paths paths = new Paths(of(state), state.resources());
        return path -> LiveGraph.places(paths, paths.find(path));
    }

    @SuppressWarnings("ReferenceEquality") // comparing R may take longer than its use
    synchronized ResourceGraph of(InventoryState state) {
        List<GraphEntry> now = entries;
        if (resources != state.resources() || used != now) {
            graph = make(state.resources(), now);
            resources = state.resources();
            used = now;
        }
        return graph;
    }

    /** Returns the graph that schedulers make of R: they do not know the entries of the configuration. */
    @SuppressWarnings("ReferenceEquality") // as above
    synchronized ResourceGraph ofSchedulers(InventoryState state) {
        if (entries.isEmpty()) {
            return of(state);
        }
        if (plain != state.resources()) {
            ofPlain = make(state.resources(), List.of());
            plain = state.resources();
        }
        return ofPlain;
    }

    private static ResourceGraph make(ResourceSet r, List<GraphEntry> entries) {
        try {
            return Structure.of(r, entries, Detail.UNITS);
        } catch (IllegalArgumentException e) {
            log.warn("the resource graph has hosts and their pools only: {}", e.getMessage());
            return ResourceGraph.of(r, Detail.POOLS);
        }
    }
}
