package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Derives the key {@code execution} from a graph, for an R that has only {@code scheduling}: ranks and hosts from the node
 * vertices, cores and GPUs from the vertices below the nodes.
 */
final class JgfExecution {
    private static final Set<String> CHILD_TYPES = Set.of(Contents.CORE, Contents.GPU);
    private static final String NODES = "/scheduling/graph/nodes/";

    private final Jgf graph;
    private final Problems problems;
    private final SortedMap<Integer, Integer> nodeByRank = new TreeMap<>();
    private final Map<Integer, Map<String, Idset.Builder>> childrenByNode = new HashMap<>();

    private JgfExecution(Jgf graph, Problems problems) {
        this.graph = graph;
        this.problems = problems;
    }

    static @Nullable ObjectNode derive(Jgf graph, Problems problems) {
        return new JgfExecution(graph, problems).derive();
    }

    private @Nullable ObjectNode derive() {
        for (int vertex = 0; vertex < graph.size(); vertex++) {
            if (graph.isNode(vertex)) {
                node(vertex);
            } else if (CHILD_TYPES.contains(graph.type(vertex))) {
                child(vertex);
            }
        }
        if (problems.isEmpty() && nodeByRank.isEmpty()) {
            problems.add("/scheduling/graph/nodes", "has no node vertex, so that execution can not be derived from it");
        }
        return problems.isEmpty() ? execution() : null;
    }

    private void node(int vertex) {
        int rank = graph.rank(vertex);
        if (rank < 0) {
            problems.add(place(vertex, "rank"), graph.name(vertex) + " has no rank; execution can not be derived");
            return;
        }
        Integer earlier = nodeByRank.putIfAbsent(rank, vertex);
        if (earlier != null) {
            problems.add(
                    place(vertex, "rank"),
                    "rank " + rank + " is both " + graph.name(earlier) + " and " + graph.name(vertex));
        }
    }

    private void child(int vertex) {
        int node = graph.anchor(vertex);
        JsonNode id = graph.metadata(vertex).path("id");
        if (!id.canConvertToInt() || !id.isIntegralNumber() || id.intValue() < 0 || id.intValue() > Idset.MAX_ID) {
            problems.add(place(vertex, "id"), graph.name(vertex) + " has no id; execution can not be derived");
        } else if (node < 0 || !graph.isNode(node)) {
            problems.add(NODES + vertex, graph.name(vertex) + " is in no node; execution can not be derived");
        } else {
            childrenByNode
                    .computeIfAbsent(node, n -> new HashMap<>())
                    .computeIfAbsent(graph.type(vertex), t -> Idset.builder())
                    .add(id.intValue());
        }
    }

    private static String place(int vertex, String key) {
        return NODES + vertex + "/metadata/" + key;
    }

    private ObjectNode execution() {
        ObjectNode execution = JsonNodeFactory.instance.objectNode();
        ArrayNode entries = execution.putArray("R_lite");
        ArrayNode nodelist = execution.putArray("nodelist");
        nodeByRank.forEach((rank, node) -> {
            ObjectNode children =
                    entries.addObject().put("rank", rank.toString()).putObject("children");
            children.put(Contents.CORE, "");
            childrenByNode
                    .getOrDefault(node, Map.of())
                    .forEach((type, ids) -> children.put(type, ids.build().toString()));
            nodelist.add(graph.name(node));
        });
        return execution;
    }
}
