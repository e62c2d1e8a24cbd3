package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The {@code graph} of the key {@code scheduling} (RFC 20, "Scheduling"). It is read here only to find out which vertex
 * belongs to which node. Containment is taken from {@code paths}, which Fluxion writes, or from edges for a vertex without a
 * path.
 */
final class Jgf {
    private static final String CONTAINMENT = "containment";
    private static final int NONE = -1;
    private static final int UNKNOWN = -2;

    private final ObjectNode scheduling;
    private final List<JsonNode> vertices = new ArrayList<>();
    private final int[] parents;
    private final int[] anchors;

    private Jgf(ObjectNode scheduling) {
        this.scheduling = scheduling;
        scheduling.get("graph").get("nodes").forEach(vertices::add);
        this.parents = new int[vertices.size()];
        Arrays.fill(parents, NONE);
        parentsByPath();
        parentsByEdge();
        this.anchors = new int[vertices.size()];
        Arrays.fill(anchors, UNKNOWN);
    }

    /** Returns the graph, or null if {@code scheduling} has no graph. */
    static @Nullable Jgf of(@Nullable JsonNode scheduling) {
        if (!(scheduling instanceof ObjectNode object)) {
            return null;
        }
        JsonNode graph = object.path("graph");
        return graph.path("nodes").isArray() && graph.path("edges").isArray() ? new Jgf(object) : null;
    }

    int size() {
        return vertices.size();
    }

    JsonNode metadata(int vertex) {
        return vertices.get(vertex).path("metadata");
    }

    boolean isNode(int vertex) {
        return type(vertex).equals("node");
    }

    String type(int vertex) {
        return metadata(vertex).path("type").asText();
    }

    int rank(int vertex) {
        return metadata(vertex).path("rank").asInt(NONE);
    }

    /** Returns the name of a vertex. RFC 4 defines defaults: the name is basename and id, and the basename is the type. */
    String name(int vertex) {
        JsonNode metadata = metadata(vertex);
        if (metadata.hasNonNull("name")) {
            return metadata.get("name").asText();
        }
        String basename =
                metadata.hasNonNull("basename") ? metadata.get("basename").asText() : type(vertex);
        return basename + metadata.path("id").asText();
    }

    /**
     * Returns the node vertex that contains a vertex or is the vertex. If there is none, returns the nearest containing
     * vertex that has a rank, or -1.
     */
    int anchor(int vertex) {
        Deque<Integer> climbed = new ArrayDeque<>();
        int at = vertex;
        while (at != NONE && anchors[at] == UNKNOWN) {
            anchors[at] = NONE; // a cycle of edges ends here
            climbed.push(at);
            at = isNode(at) ? NONE : parents[at];
        }
        int above = at == NONE ? NONE : anchors[at];
        while (!climbed.isEmpty()) {
            above = anchorBelow(above, climbed.peek());
            anchors[climbed.pop()] = above;
        }
        return anchors[vertex];
    }

    private int anchorBelow(int above, int vertex) {
        boolean inNode = above != NONE && isNode(above);
        return isNode(vertex) || (!inNode && rank(vertex) >= 0) ? vertex : above;
    }

    /**
     * Returns a copy of {@code scheduling} without the vertices whose anchor matches, their descendants and the edges of
     * both; null if none match.
     */
    @Nullable
    ObjectNode without(IntPredicate removedAnchor) {
        Set<String> removed = new HashSet<>();
        ArrayNode kept = scheduling.arrayNode();
        for (int vertex = 0; vertex < vertices.size(); vertex++) {
            int anchor = anchor(vertex);
            if (anchor != NONE && removedAnchor.test(anchor)) {
                removed.add(id(vertex));
            } else {
                kept.add(vertices.get(vertex));
            }
        }
        return removed.isEmpty() ? null : with(kept, edgesWithout(removed));
    }

    private ArrayNode edgesWithout(Set<String> removed) {
        ArrayNode kept = scheduling.arrayNode();
        for (JsonNode edge : edges()) {
            if (!removed.contains(edge.path("source").asText())
                    && !removed.contains(edge.path("target").asText())) {
                kept.add(edge);
            }
        }
        return kept;
    }

    private ObjectNode with(ArrayNode nodes, ArrayNode edges) {
        ObjectNode changed = scheduling.objectNode().setAll(scheduling);
        ObjectNode graph = scheduling.objectNode().setAll((ObjectNode) scheduling.get("graph"));
        graph.set("nodes", nodes);
        graph.set("edges", edges);
        changed.set("graph", graph);
        return changed;
    }

    /**
     * Returns whether a vertex stands for one of {@code ranks}. If the resource set has the vertex's host, the host decides,
     * because ranks change and hosts do not.
     */
    boolean isFor(int vertex, Idset ranks, RankHosts placement) {
        Idset ofHost = isNode(vertex) ? placement.ranksOf(name(vertex)) : Idset.EMPTY;
        int rank = rank(vertex);
        if (ofHost.isEmpty() || ofHost.contains(rank)) {
            return rank >= 0 && ranks.contains(rank);
        }
        return ranks.containsAll(ofHost);
    }

    private String id(int vertex) {
        return vertices.get(vertex).path("id").asText();
    }

    private JsonNode edges() {
        return scheduling.get("graph").get("edges");
    }

    private String path(int vertex) {
        return metadata(vertex).path("paths").path(CONTAINMENT).asText();
    }

    private void parentsByPath() {
        Map<String, Integer> byPath = new HashMap<>();
        for (int vertex = 0; vertex < vertices.size(); vertex++) {
            byPath.putIfAbsent(path(vertex), vertex);
        }
        byPath.remove("");
        for (int vertex = 0; vertex < vertices.size(); vertex++) {
            parents[vertex] = nearestAbove(path(vertex), byPath);
        }
    }

    private static int nearestAbove(String path, Map<String, Integer> byPath) {
        for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
            Integer above = byPath.get(path.substring(0, end));
            if (above != null) {
                return above;
            }
        }
        return NONE;
    }

    private void parentsByEdge() {
        Map<String, Integer> byId = new HashMap<>();
        for (int vertex = 0; vertex < vertices.size(); vertex++) {
            byId.putIfAbsent(id(vertex), vertex);
        }
        for (JsonNode edge : edges()) {
            Integer source = byId.get(edge.path("source").asText());
            Integer target = byId.get(edge.path("target").asText());
            if (source != null && target != null && isContainment(edge) && needsParent(target)) {
                parents[target] = source;
            }
        }
    }

    private boolean needsParent(int vertex) {
        return parents[vertex] == NONE && path(vertex).isEmpty();
    }

    /**
     * Returns whether an edge leads down in containment. Fluxion omits the subsystem if it is containment; RFC 4 allows edges
     * that lead back up and calls their relationship "in".
     */
    private static boolean isContainment(JsonNode edge) {
        JsonNode metadata = edge.path("metadata");
        return metadata.path("subsystem").asText(CONTAINMENT).equals(CONTAINMENT)
                && !metadata.path("relationship").asText().equals("in");
    }
}
