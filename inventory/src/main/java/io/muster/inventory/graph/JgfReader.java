package io.muster.inventory.graph;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads one document in the JSON Graph Format (JGF) into a graph, one element at a time. A reader serves one parser. */
final class JgfReader {
    private static final Set<String> EDGE_KEYS = Set.of("source", "target", "metadata");

    /** An edge that the document lists before the vertices. Pending edges are added to the graph after the vertices. */
    private record Pending(String source, String target, EdgeKind kind, String place) {}

    private final JsonParser parser;
    private final Problems problems;
    private final ResourceGraph.Builder graph = ResourceGraph.builder();
    private final JgfVertex vertices;
    private final List<Pending> pending = new ArrayList<>();
    private boolean nodesSeen;
    private boolean edgesSeen;

    JgfReader(JsonParser parser, Problems problems) {
        this.parser = parser;
        this.problems = problems;
        this.vertices = new JgfVertex(graph, problems);
    }

    ResourceGraph read() throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            problems.add("", "must be a dictionary with the key graph");
            return graph.build();
        }
        boolean found = false;
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (!key.equals("graph")) {
                graph.more(JgfVertex.OUTSIDE + key, parser.readValueAsTree());
            } else if (value != JsonToken.START_OBJECT || found) {
                problems.add("/graph", found ? "is given twice" : "must be a dictionary");
                return graph.build();
            } else {
                found = true;
                graph();
            }
        }
        if (parser.nextToken() != null) {
            problems.add("", "something follows the document");
        }
        if (!found) {
            problems.add("", "graph is missing");
        } else {
            finish();
        }
        return graph.build(problems);
    }

    private void finish() {
        pending.forEach(e -> edge(e.source(), e.target(), e.kind(), e.place()));
        if (!nodesSeen || (!vertices.any() && problems.isEmpty())) {
            problems.add("/graph/nodes", nodesSeen ? "must list at least one vertex" : "is missing");
        }
        if (!edgesSeen) {
            problems.add("/graph/edges", "is missing");
        }
    }

    private void graph() throws IOException {
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            boolean nodes = key.equals("nodes");
            if (!nodes && !key.equals("edges")) {
                graph.more(key, parser.readValueAsTree());
                continue;
            }
            boolean twice = nodes ? nodesSeen : edgesSeen;
            if (value != JsonToken.START_ARRAY || twice) {
                problems.add("/graph/" + key, twice ? "is given twice" : "must be a list");
                parser.skipChildren();
            } else {
                elements(nodes);
            }
            nodesSeen |= nodes;
            edgesSeen |= !nodes;
        }
    }

    private void elements(boolean nodes) throws IOException {
        String place = nodes ? "/graph/nodes/" : "/graph/edges/";
        for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
            JsonNode element = parser.readValueAsTree();
            if (!element.isObject()) {
                problems.add(place + i, "must be a dictionary");
            } else if (nodes) {
                vertices.read(element, place + i);
            } else {
                edge(element, place + i);
            }
        }
    }

    private void edge(JsonNode edge, String place) {
        String source = end(edge, "source", place);
        String target = end(edge, "target", place);
        EdgeKind kind = kind(edge, place);
        if (nodesSeen) {
            edge(source, target, kind, place);
        } else {
            pending.add(new Pending(source, target, kind, place));
        }
    }

    private String end(JsonNode edge, String key, String place) {
        JsonNode end = edge.path(key);
        if (end.isIntegralNumber()) {
            problems.warn(place + "/" + key, "must be a string; the number is taken for one");
        } else if (!end.isTextual()) {
            problems.add(place + "/" + key, end.isMissingNode() ? "is missing" : "must be a string");
        }
        return end.asText("");
    }

    private EdgeKind kind(JsonNode edge, String place) {
        JsonNode metadata = edge.path("metadata");
        if (!metadata.isMissingNode() && !metadata.isObject()) {
            problems.add(place + "/metadata", "must be a dictionary");
        }
        // An older form of JGF has the subsystem and the relationship in one entry: {"name": {"containment":
        // "contains"}}.
        JsonNode old = metadata.path("name");
        boolean oldForm = old.isObject() && old.size() == 1 && !metadata.has("subsystem");
        String subsystem = oldForm ? old.fieldNames().next() : text(metadata, "subsystem", EdgeKind.CONTAINMENT, place);
        String relationship = oldForm
                ? old.path(subsystem).asText(EdgeKind.CONTAINS)
                : text(metadata, "relationship", EdgeKind.CONTAINS, place);
        Map<String, JsonNode> more = new LinkedHashMap<>();
        metadata.properties().forEach(e -> {
            boolean known = e.getKey().equals("subsystem") || e.getKey().equals("relationship");
            if (!known && !(oldForm && e.getKey().equals("name"))) {
                more.put(e.getKey(), e.getValue());
            }
        });
        boolean bothWays =
                edge.path("directed").isBoolean() && !edge.get("directed").booleanValue();
        edge.properties().forEach(e -> {
            boolean redundant = bothWays && e.getKey().equals("directed");
            if (!redundant && !EDGE_KEYS.contains(e.getKey())) {
                more.put(JgfVertex.OUTSIDE + e.getKey(), e.getValue());
            }
        });
        return new EdgeKind(subsystem, relationship, bothWays, more);
    }

    private String text(JsonNode metadata, String key, String unset, String place) {
        JsonNode value = metadata.isObject() ? metadata.path(key) : MissingNode.getInstance();
        if (!value.isMissingNode() && (!value.isTextual() || value.textValue().isEmpty())) {
            problems.add(place + "/metadata/" + key, "must be a non-empty string");
        }
        return value.isTextual() ? value.textValue() : unset;
    }

    private void edge(String source, String target, EdgeKind kind, String place) {
        int from = graph.find(source);
        int to = graph.find(target);
        if (!vertices.any()) {
            return; // the missing vertices are reported once, and not again for each end of each edge
        }
        if (from < 0 && !source.isEmpty()) {
            problems.add(place + "/source", "there is no vertex \"" + source + "\"");
        }
        if (to < 0 && !target.isEmpty()) {
            problems.add(place + "/target", "there is no vertex \"" + target + "\"");
        }
        if (from >= 0 && to >= 0) {
            graph.edge(from, to, vertices.pointsUp(from, to, kind) ? up(kind) : kind);
        }
    }

    /**
     * Returns the kind of a containment edge that points up, with the relationship "in" in place of "contains". Fluxion
     * accepts such an edge, because it only repeats the edge that points down.
     */
    private static EdgeKind up(EdgeKind kind) {
        return new EdgeKind(kind.subsystem(), EdgeKind.IN, kind.bothWays(), kind.more());
    }
}
