package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.jgf.JgfReader;
import io.muster.inventory.jgf.JgfVertex;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Makes a graph of the contents of a JGF document. */
final class JgfGraph implements JgfReader.Contents {
    final ResourceGraph.Builder graph = ResourceGraph.builder();
    private final Map<String, String> names = new HashMap<>();
    private final Map<PoolKind, PoolKind> kinds = new HashMap<>();
    private final int leastSize;

    JgfGraph(int leastSize) {
        this.leastSize = leastSize;
    }

    @Override
    public int leastSize() {
        return leastSize;
    }

    @Override
    public void vertex(JgfVertex v) {
        PoolKind kind =
                kinds.computeIfAbsent(new PoolKind(v.type(), v.basename(), v.size(), v.unit(), v.properties()), k -> k);
        Map<String, String> paths = v.paths() == null ? Map.of() : v.paths();
        Map<String, JsonNode> more = v.more().isEmpty() ? v.more() : new LinkedHashMap<>(v.more());
        // A uuid that the writer would compute again is not stored, so that equal pools stay equal.
        JsonNode uuid = more.get("uuid");
        if (uuid != null && isComputed(uuid, paths)) {
            more.remove("uuid");
        }
        Extended data = more.isEmpty() ? Extended.NONE : extended(more);
        Pool pool = new Pool(kind, v.id(), names.computeIfAbsent(v.name(), n -> n), more);
        int number = graph.vertex(v.key(), pool, v.rank());
        if (v.paths() != null) {
            graph.paths(number, pool.name(), paths);
        }
        if (!data.equals(Extended.NONE)) {
            graph.extended(number, data);
        }
    }

    private static boolean isComputed(JsonNode uuid, Map<String, String> paths) {
        return paths.entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .filter(first -> Pool.uuidOf(first.getValue()).equals(uuid.textValue()))
                .isPresent();
    }

    @Override
    public void edge(
            int source,
            int target,
            String subsystem,
            String relationship,
            boolean bothWays,
            Map<String, JsonNode> more) {
        graph.edge(source, target, new EdgeKind(subsystem, relationship, bothWays, more));
    }

    @Override
    public void more(String key, JsonNode value) {
        graph.more(key, value);
    }

    /**
     * Returns the extended data among {@code more} and removes it there. A value that does not have the form of extended data
     * stays, because it has another meaning to the writer of the document. A status beside a state stays too, unless the writer
     * of this package derives the same status from the state.
     */
    private static Extended extended(Map<String, JsonNode> more) {
        Extended data = Extended.NONE;
        JsonNode state = more.get("state");
        JsonNode status = more.get("status");
        if (state != null && state.isTextual()) {
            data = data.withState(state.textValue());
            more.remove("state");
            if (status != null && status.asInt(-1) == 1 && Extended.isUnusable(data.state())) {
                more.remove("status");
            }
        } else if (status != null) {
            data = data.withState(status.asInt() == 1 ? Extended.DOWN : Extended.UP);
            more.remove("status");
        }
        JsonNode tags = more.get("tags");
        if (tags != null
                && tags.isObject()
                && tags.properties().stream().allMatch(e -> e.getValue().isTextual())) {
            for (Map.Entry<String, JsonNode> e : tags.properties()) {
                data = data.withTag(e.getKey(), e.getValue().textValue());
            }
            more.remove("tags");
        }
        JsonNode scheduler = more.get("scheduler");
        if (scheduler != null && scheduler.isObject()) {
            for (Map.Entry<String, JsonNode> e : scheduler.properties()) {
                data = data.withScheduler(e.getKey(), e.getValue());
            }
            more.remove("scheduler");
        }
        return data;
    }
}
