package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Derives the key {@code execution} from a graph, for an R that has only {@code scheduling}: ranks and hosts from the nodes, in the
 * order of the document if no node has a rank; cores and GPUs from the vertices below the nodes.
 */
final class GraphExecution {
    private static final String NODES = "/scheduling/graph/nodes";

    /** The ids of one type on a node, and the number of units whose ids the graph does not give. */
    private static final class Units {
        final Idset.Builder ids = Idset.builder();
        long unnumbered;
    }

    private final SchedulingGraph graph;
    private final Problems problems;
    private final SortedMap<Integer, Integer> nodeByRank = new TreeMap<>();
    private final Map<Integer, Map<String, Units>> unitsByNode = new TreeMap<>();

    GraphExecution(SchedulingGraph graph, Problems problems) {
        this.graph = graph;
        this.problems = problems;
    }

    /** Returns {@code execution}. If it cannot be derived, adds the reason to {@code problems} and returns null. */
    @Nullable
    ObjectNode derive() {
        boolean ranked = graph.nodes().stream().anyMatch(v -> graph.vertex(v).rank() >= 0);
        graph.nodes().stream().forEach(v -> node(v, ranked ? graph.vertex(v).rank() : nodeByRank.size()));
        for (int vertex = 0; vertex < graph.size() && problems.isEmpty(); vertex++) {
            if (List.of(Contents.CORE, Contents.GPU)
                    .contains(graph.vertex(vertex).type())) {
                unit(vertex);
            }
        }
        if (nodeByRank.isEmpty() && problems.isEmpty()) {
            problems.add(
                    NODES, "has vertices of several ranks but none of type node, so that their hosts are not known");
        }
        return problems.isEmpty() ? execution() : null;
    }

    private void node(int vertex, int rank) {
        Integer earlier = rank < 0 ? null : nodeByRank.putIfAbsent(rank, vertex);
        if (rank < 0) {
            problems.add(
                    place(vertex, "rank"),
                    graph.vertex(vertex).name()
                            + " has no rank and other nodes have one; give all nodes a rank, or none");
        } else if (!isHost(graph.vertex(vertex).name())) {
            problems.add(place(vertex, "name"), "\"" + graph.vertex(vertex).name() + "\" cannot be the name of a host");
        } else if (earlier != null) {
            problems.add(
                    place(vertex, "rank"),
                    "rank " + rank + " is both " + graph.vertex(earlier).name() + " and "
                            + graph.vertex(vertex).name());
        }
    }

    private static boolean isHost(String name) {
        try {
            return Hostlist.parse(name).size() == 1;
        } catch (MalformedException e) {
            return false;
        }
    }

    /** Adds the units of a vertex to its node, or to the node of its rank if it is in no node. */
    private void unit(int vertex) {
        int anchor = graph.anchor(vertex);
        Integer node = anchor < 0 || graph.nodes().get(anchor)
                ? Integer.valueOf(anchor)
                : nodeByRank.get(graph.vertex(anchor).rank());
        if (node == null || node < 0) {
            problems.warn(
                    NODES + "/" + vertex,
                    graph.vertex(vertex).name() + " is in no node and has the rank of none; only the graph has it");
            return;
        }
        Units units = unitsByNode
                .computeIfAbsent(node, n -> new LinkedHashMap<>())
                .computeIfAbsent(graph.vertex(vertex).type(), t -> new Units());
        long id = graph.vertex(vertex).id();
        if (graph.vertex(vertex).size() == 1 && id >= 0 && id <= Idset.MAX_ID) {
            units.ids.add((int) id);
        } else {
            units.unnumbered += Math.min(graph.vertex(vertex).size(), Idset.MAX_ID);
        }
        if (units.unnumbered > Idset.MAX_ID / 2) {
            problems.add(
                    place(vertex, "size"),
                    graph.vertex(vertex).name() + " makes more units on one node than an idset can name");
        }
    }

    private static String place(int vertex, String key) {
        return NODES + "/" + vertex + "/metadata/" + key;
    }

    private ObjectNode execution() {
        ObjectNode execution = JsonNodeFactory.instance.objectNode();
        ArrayNode entries = execution.putArray("R_lite");
        ArrayNode nodelist = execution.putArray("nodelist");
        nodeByRank.forEach((rank, node) -> {
            ObjectNode children =
                    entries.addObject().put("rank", rank.toString()).putObject("children");
            children.put(Contents.CORE, "");
            unitsByNode
                    .getOrDefault(node, Map.of())
                    .forEach((type, units) -> children.put(type, ids(units).toString()));
            nodelist.add(graph.vertex(node).name());
        });
        return execution;
    }

    /** Returns the ids of all units: units without an id get the lowest free ids. */
    private static Idset ids(Units units) {
        Idset given = units.ids.build();
        if (units.unnumbered == 0) {
            return given;
        }
        int most = (int) Math.min(given.size() + units.unnumbered, Idset.MAX_ID);
        Idset free = Idset.range(0, most - 1).subtract(given);
        return given.union(free.intersect(Idset.range(0, free.nth((int) units.unnumbered - 1))));
    }
}
