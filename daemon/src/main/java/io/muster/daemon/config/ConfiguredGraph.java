package io.muster.daemon.config;

import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;

/** Reads {@code [[graph]]}, the levels of the resource graph above the nodes and in them. */
final class ConfiguredGraph {
    private static final String KEY = Key.GRAPH.key();

    private ConfiguredGraph() {}

    /** Reads the entries and checks that they make a graph with the configured R. */
    static List<GraphEntry> read(ConfigTable top, ResourceSet set) {
        List<ConfigTable> tables = top.tables(KEY);
        if (!top.has(KEY)) {
            return List.of();
        }
        Problems problems = new Problems();
        List<GraphEntry> entries = GraphEntry.readAll(top.json(KEY), KEY, problems);
        top.relay(KEY, problems);
        if (!problems.isEmpty()) {
            return List.of();
        }
        for (int i = 0; i < entries.size(); i++) {
            Hostlist unknown = set.hosts().missing(entries.get(i).hosts());
            if (!unknown.isEmpty()) {
                tables.get(i).note("hosts", "R does not have " + unknown.abridged() + "; ignored");
            }
        }
        if (set.scheduling() != null && set.scheduling().outline().has(KEY)) {
            top.note(KEY, "the entries replace the graph of R, except that schedulers are still sent R as it is");
        }
        try {
            Structure.of(set, entries, Detail.UNITS);
        } catch (IllegalArgumentException e) {
            top.problem(KEY, String.valueOf(e.getMessage()));
        }
        return List.copyOf(entries);
    }
}
