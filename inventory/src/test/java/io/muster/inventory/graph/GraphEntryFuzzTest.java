package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import java.util.Map;

/** Any entries are either refused with problems, or make a graph that is written as it is read. */
class GraphEntryFuzzTest {
    private static final int LARGEST = 20_000;

    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-9]"), Idset.range(0, 9), Idset.range(0, 3), Idset.of(0), Map.of());

    @FuzzTest
    void anyEntriesAreRefusedOrMakeAGraph(byte[] bytes) {
        Problems problems = new Problems();
        var tree = StrictJson.read(bytes, problems);
        List<GraphEntry> entries = tree == null ? List.of() : GraphEntry.readAll(tree, "graph", problems);
        if (!problems.isEmpty()) {
            return;
        }
        ResourceGraph graph = Structure.of(R, entries, Detail.UNITS);
        if (graph.size() < LARGEST) {
            var json = Jgf.toJson(graph, Jgf.Form.FULL);
            assertThat(Jgf.toJson(Jgf.read(json), Jgf.Form.FULL)).isEqualTo(json);
        }
    }
}
