package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.problem.Problems;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the vertices of one JGF document into a graph, with the defaults of RFC 4 and of Fluxion. */
final class JgfVertex {
    /**
     * The prefix, in {@link Pool#more} and {@link EdgeKind#more}, of a key that stands beside the metadata in the document,
     * not in it.
     */
    static final String OUTSIDE = "../";

    private static final Set<String> READ = Set.of(
            "type",
            "basename",
            "name",
            "id",
            "rank",
            "size",
            "unit",
            "properties",
            "paths",
            "status",
            "state",
            "tags",
            "scheduler");

    private final ResourceGraph.Builder graph;
    private final Problems problems;
    private final Map<String, String> names = new HashMap<>();
    private final Map<PoolKind, PoolKind> kinds = new HashMap<>();
    private String place = "";
    private boolean any;
    private int[] depths = new int[16];

    JgfVertex(ResourceGraph.Builder graph, Problems problems) {
        this.graph = graph;
        this.problems = problems;
    }

    boolean any() {
        return any;
    }

    void read(JsonNode vertex, String at) {
        any = true;
        place = at;
        String key = key(vertex);
        place = at + " (vertex \"" + key + "\")";
        JsonNode metadata = vertex.path("metadata");
        if (!metadata.isObject()) {
            problems.add(place, "metadata must be a dictionary");
            return;
        }
        Map<String, String> paths = paths(metadata);
        @Nullable PoolKind kind = kind(metadata);
        if (kind == null) {
            return;
        }
        Pool pool = pool(kinds.computeIfAbsent(kind, k -> k), key, vertex, metadata);
        int number = graph.vertex(key, pool, (int) integer(metadata, "rank", -1, -1, Integer.MAX_VALUE - 1));
        if (number < 0) {
            problems.add(place, "the id is already taken by another vertex");
        } else {
            if (metadata.has("paths")) {
                graph.paths(number, pool.name(), paths);
            }
            depth(number, paths.getOrDefault(EdgeKind.CONTAINMENT, ""));
            extended(number, metadata);
        }
    }

    /**
     * Reads the paths of a vertex by subsystem. Fluxion requires paths, but RFC 20 of 2023 does not have them, so they may
     * be absent.
     */
    private Map<String, String> paths(JsonNode metadata) {
        Map<String, String> paths = new LinkedHashMap<>();
        JsonNode given = metadata.path("paths");
        if (!given.isMissingNode() && !given.isObject()) {
            problems.add(place, "metadata.paths must be a dictionary of paths by subsystem");
        }
        given.properties().forEach(e -> {
            if (!e.getValue().isTextual()) {
                problems.add(place, "metadata.paths." + e.getKey() + " must be a string");
            }
            paths.put(e.getKey(), e.getValue().asText());
        });
        return paths;
    }

    private void depth(int vertex, String path) {
        depths = vertex < depths.length ? depths : Arrays.copyOf(depths, depths.length * 2);
        depths[vertex] = (int) path.chars().filter(c -> c == '/').count();
    }

    /** Returns whether an edge of containment runs from a deeper vertex to a higher one. */
    boolean pointsUp(int source, int target, EdgeKind kind) {
        return kind.subsystem().equals(EdgeKind.CONTAINMENT)
                && kind.isContains()
                && depths[target] > 0
                && depths[source] > depths[target];
    }

    private String key(JsonNode vertex) {
        JsonNode id = vertex.path("id");
        if (id.isIntegralNumber()) {
            problems.warn(place, "id must be a string; the number is taken for one");
        } else if (!id.isTextual() || id.textValue().isEmpty()) {
            problems.add(place, id.isMissingNode() ? "id is missing" : "id must be a non-empty string");
        }
        return id.asText("");
    }

    private @Nullable PoolKind kind(JsonNode metadata) {
        String type = text(metadata, "type", "");
        if (type.isEmpty()) {
            problems.add(place, "metadata.type must be a non-empty string");
            return null;
        }
        long size = integer(metadata, "size", 1, 0, Long.MAX_VALUE);
        return new PoolKind(
                type, text(metadata, "basename", type), size, text(metadata, "unit", ""), properties(metadata));
    }

    private SortedMap<String, String> properties(JsonNode metadata) {
        SortedMap<String, String> properties = new TreeMap<>();
        JsonNode given = metadata.path("properties");
        if (!given.isMissingNode() && !given.isObject()) {
            problems.add(place, "metadata.properties must be a dictionary");
        }
        given.properties().forEach(e -> {
            if (e.getValue().isContainerNode() || e.getValue().isNull()) {
                problems.add(place, "metadata.properties." + e.getKey() + " must be a string");
            } else if (!e.getValue().isTextual()) {
                problems.warn(place, "metadata.properties." + e.getKey() + " must be a string; it is taken for one");
            }
            properties.put(e.getKey(), e.getValue().asText());
        });
        return properties;
    }

    private Pool pool(PoolKind kind, String key, JsonNode vertex, JsonNode metadata) {
        @Nullable String given = metadata.has("name") ? text(metadata, "name", "") : null;
        long id = metadata.has("id")
                ? integer(metadata, "id", Pool.NO_ID, Long.MIN_VALUE, Long.MAX_VALUE)
                : impliedId(kind, key, given, metadata);
        id = id < 0 ? Pool.NO_ID : id;
        String name = given != null ? given : Pool.defaultName(kind, id);
        return new Pool(kind, id, names.computeIfAbsent(name, n -> n), more(vertex, metadata));
    }

    /**
     * Returns the id that Fluxion would use: the number at the end of the name or, without a name, uniq_id, which defaults to
     * the vertex's id.
     */
    private long impliedId(PoolKind kind, String key, @Nullable String name, JsonNode metadata) {
        if (name != null) {
            boolean numbered = name.startsWith(kind.basename());
            return numbered ? number(name.substring(kind.basename().length())) : Pool.NO_ID;
        }
        JsonNode unique = metadata.path("uniq_id");
        return unique.isIntegralNumber() ? unique.longValue() : number(key);
    }

    private static long number(String digits) {
        return digits.matches("0|[1-9][0-9]{0,17}") ? Long.parseLong(digits) : Pool.NO_ID;
    }

    private static Map<String, JsonNode> more(JsonNode vertex, JsonNode metadata) {
        Map<String, JsonNode> more = new LinkedHashMap<>();
        metadata.properties().forEach(e -> {
            // A uniq_id that equals the vertex's id is not stored; the full form writes it again from the id.
            boolean redundant = e.getKey().equals("status")
                    ? isSaidByState(metadata)
                    : e.getKey().equals("uniq_id")
                            && e.getValue().asText().equals(vertex.path("id").asText());
            if (!redundant && (!READ.contains(e.getKey()) || isForeign(e.getKey(), metadata))) {
                more.put(e.getKey(), e.getValue());
            }
        });
        vertex.properties().forEach(e -> {
            if (!e.getKey().equals("id") && !e.getKey().equals("metadata")) {
                more.put(OUTSIDE + e.getKey(), e.getValue());
            }
        });
        return more;
    }

    /** Returns whether the status repeats the state; the writer derives it from the state again. */
    private static boolean isSaidByState(JsonNode metadata) {
        return metadata.path("status").asInt(-1) == 1
                && Extended.isUnusable(metadata.path("state").asText());
    }

    /**
     * Returns whether the value of {@code key} is not extended data but something else to the writer of the document. A
     * status beside a state counts as foreign, because the state says more than the status.
     */
    private static boolean isForeign(String key, JsonNode metadata) {
        JsonNode value = metadata.path(key);
        return switch (key) {
            case "status" -> metadata.path("state").isTextual();
            case "state" -> !value.isTextual();
            case "scheduler" -> !value.isObject();
            case "tags" ->
                !value.isObject()
                        || value.properties().stream()
                                .anyMatch(e -> !e.getValue().isTextual());
            default -> false;
        };
    }

    private void extended(int vertex, JsonNode metadata) {
        Extended data = Extended.NONE;
        if (metadata.has("status") && !isForeign("status", metadata)) {
            data = data.withState(integer(metadata, "status", 0, 0, 1) == 1 ? Extended.DOWN : Extended.UP);
        }
        if (metadata.has("state") && !isForeign("state", metadata)) {
            data = data.withState(text(metadata, "state", ""));
        }
        if (!isForeign("tags", metadata)) {
            for (Map.Entry<String, JsonNode> e : metadata.path("tags").properties()) {
                data = data.withTag(e.getKey(), e.getValue().textValue());
            }
        }
        for (Map.Entry<String, JsonNode> e : metadata.path("scheduler").properties()) {
            data = data.withScheduler(e.getKey(), e.getValue());
        }
        if (!data.equals(Extended.NONE)) {
            graph.extended(vertex, data);
        }
    }

    private String text(JsonNode metadata, String key, String unset) {
        JsonNode value = metadata.path(key);
        if (!value.isMissingNode() && !value.isTextual()) {
            problems.add(place, "metadata." + key + " must be a string");
        }
        return value.isTextual() ? value.textValue() : unset;
    }

    private long integer(JsonNode metadata, String key, long unset, long min, long max) {
        JsonNode value = metadata.path(key);
        if (value.isMissingNode()) {
            return unset;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < min
                || value.longValue() > max) {
            problems.add(
                    place,
                    "metadata." + key + " must be an integer" + (min == 0 ? " of 0 or more" : "") + ", not " + value);
            return unset;
        }
        return value.longValue();
    }
}
