package io.muster.cli.ask;

import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.problem.Problems;
import io.muster.protocol.admin.Get;
import java.util.List;

/** The graph of a server's resources, made here from R and the entries of the server's configuration. */
public final class ServerGraph {
    private ServerGraph() {}

    public static ResourceGraph of(Get answer, Detail detail) {
        Problems problems = new Problems();
        List<GraphEntry> entries =
                answer.graph().isMissingNode() ? List.of() : GraphEntry.readAll(answer.graph(), "graph", problems);
        problems.throwIfAny("resource.get");
        return Structure.of(answer.resources(), entries, detail);
    }
}
