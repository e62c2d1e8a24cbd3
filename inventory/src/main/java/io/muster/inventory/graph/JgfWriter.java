package io.muster.inventory.graph;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.jgf.JgfVertex;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes one graph as JGF, one element at a time. As in Fluxion, a vertex comes after the vertices below it. Edges are
 * written in the order given.
 */
final class JgfWriter {
    private final ResourceGraph graph;
    private final boolean full;
    private final Idset included;
    private final JsonGenerator json;

    JgfWriter(ResourceGraph graph, Jgf.Form form, Idset included, JsonGenerator json) {
        this.graph = graph;
        this.full = form == Jgf.Form.FULL;
        this.included = included;
        this.json = json;
    }

    void write() throws IOException {
        json.writeStartObject();
        outside(graph.more());
        json.writeObjectFieldStart("graph");
        more(graph.more());
        json.writeArrayFieldStart("nodes");
        try {
            vertices();
            json.writeEndArray();
            json.writeArrayFieldStart("edges");
            graph.forEachEdge(included, this::edge);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        json.writeEndArray();
        json.writeEndObject();
        json.writeEndObject();
    }

    private void vertices() throws IOException {
        BitSet written = new BitSet(graph.size());
        // Containment is written first, because other programs also order vertices by it.
        if (graph.root(EdgeKind.CONTAINMENT) >= 0) {
            walk(EdgeKind.CONTAINMENT, written);
        }
        for (String subsystem : graph.subsystems()) {
            walk(subsystem, written);
        }
        included.forEach(v -> vertex(v, written));
    }

    private void walk(String subsystem, BitSet written) {
        Walker.of(graph, subsystem).pruning(v -> included.contains(v.vertex())).walk(v -> vertex(v.vertex(), written));
    }

    private void vertex(int vertex, BitSet written) {
        if (written.get(vertex) || !included.contains(vertex)) {
            return;
        }
        written.set(vertex);
        try {
            Pool pool = graph.pool(vertex);
            json.writeStartObject();
            json.writeStringField("id", graph.key(vertex));
            outside(pool.more());
            json.writeObjectFieldStart("metadata");
            metadata(vertex, pool);
            json.writeEndObject();
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void metadata(int vertex, Pool pool) throws IOException {
        PoolKind kind = pool.kind();
        json.writeStringField("type", kind.type());
        json.writeStringField("uuid", pool.uuid(graph.path(vertex, subsystem(vertex))));
        if (full) {
            uniqueId(vertex, pool);
        }
        json.writeStringField("basename", kind.basename());
        json.writeStringField("name", pool.name());
        number("id", pool.id());
        json.writeNumberField("rank", graph.rank(vertex));
        number("size", kind.size());
        json.writeStringField("unit", kind.unit());
        texts("properties", kind.properties());
        extended(graph.extended(vertex));
        more(pool.more());
        texts("paths", graph.paths(vertex));
    }

    private String subsystem(int vertex) {
        return graph.subsystems().stream()
                .filter(s -> graph.isIn(vertex, s))
                .findFirst()
                .orElse(EdgeKind.CONTAINMENT);
    }

    private void uniqueId(int vertex, Pool pool) throws IOException {
        String key = graph.key(vertex);
        if (!pool.more().containsKey("uniq_id") && key.matches("[0-9]{1,18}")) {
            number("uniq_id", Long.parseLong(key));
        }
    }

    private void texts(String key, Map<String, String> texts) throws IOException {
        json.writeObjectFieldStart(key);
        for (Map.Entry<String, String> e : texts.entrySet()) {
            json.writeStringField(e.getKey(), e.getValue());
        }
        json.writeEndObject();
    }

    private void extended(Extended data) throws IOException {
        List<String> conditions = data.conditions();
        // If no state was set, the first condition other than "available" is written as the state.
        @Nullable
        String told = conditions.stream()
                .filter(word -> !word.equals(Extended.AVAILABLE))
                .findFirst()
                .orElse(null);
        @Nullable String state = data.state() == null ? told : data.state();
        boolean up = Extended.UP.equals(state) || (data.state() == null && conditions.contains(Extended.AVAILABLE));
        boolean unusable = !data.isUsable();
        if (unusable || (full && up)) {
            json.writeNumberField("status", unusable ? 1 : 0);
        }
        if (state != null && !state.equals(Extended.UP) && !state.equals(Extended.DOWN)) {
            json.writeStringField("state", state);
        }
        if (!data.tags().isEmpty()) {
            texts("tags", data.tags());
        }
        if (!data.scheduler().isEmpty()) {
            json.writeObjectFieldStart("scheduler");
            for (Map.Entry<String, JsonNode> e : data.scheduler().entrySet()) {
                field(e.getKey(), e.getValue());
            }
            json.writeEndObject();
        }
        if (told != null && (conditions.size() > 1 || data.state() != null)) {
            json.writeArrayFieldStart("conditions");
            for (String condition : conditions) {
                json.writeString(condition);
            }
            json.writeEndArray();
        }
    }

    private void more(Map<String, JsonNode> more) throws IOException {
        for (Map.Entry<String, JsonNode> e : more.entrySet()) {
            boolean uuid = e.getKey().equals("uuid") && e.getValue().isTextual();
            if (!uuid && !e.getKey().startsWith(JgfVertex.OUTSIDE)) {
                field(e.getKey(), e.getValue());
            }
        }
    }

    private void outside(Map<String, JsonNode> more) throws IOException {
        for (Map.Entry<String, JsonNode> e : more.entrySet()) {
            if (e.getKey().startsWith(JgfVertex.OUTSIDE)) {
                field(e.getKey().substring(JgfVertex.OUTSIDE.length()), e.getValue());
            }
        }
    }

    /**
     * Writes a number as an int if it fits. A reader of JSON trees does the same, so that a written tree equals the tree
     * that is read back.
     */
    private void number(String key, long value) throws IOException {
        if (value == (int) value) {
            json.writeNumberField(key, (int) value);
        } else {
            json.writeNumberField(key, value);
        }
    }

    private void field(String key, JsonNode value) throws IOException {
        json.writeFieldName(key);
        Jgf.JSON.writeTree(json, value);
    }

    private void edge(int source, int target, EdgeKind kind) {
        try {
            json.writeStartObject();
            json.writeStringField("source", graph.key(source));
            json.writeStringField("target", graph.key(target));
            if (kind.bothWays()) {
                json.writeBooleanField("directed", false);
            }
            outside(kind.more());
            edgeMetadata(kind);
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void edgeMetadata(EdgeKind kind) throws IOException {
        json.writeObjectFieldStart("metadata");
        json.writeStringField("subsystem", kind.subsystem());
        json.writeStringField("relationship", kind.relationship());
        more(kind.more());
        json.writeEndObject();
    }
}
