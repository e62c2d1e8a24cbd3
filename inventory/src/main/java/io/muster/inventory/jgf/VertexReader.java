package io.muster.inventory.jgf;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.muster.inventory.problem.Problems;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reads the vertices of one JGF document. */
final class VertexReader {
    private static final Set<String> BASE =
            Set.of("type", "basename", "name", "id", "rank", "size", "unit", "properties", "paths");

    private final Problems problems;
    private final BiConsumer<String, String> problem;
    private final int leastSize;
    private JsonNode metadata = MissingNode.getInstance();
    private int index;
    private String key = "";

    /** @param problem receives the place and the sentence of each fault */
    VertexReader(Problems problems, BiConsumer<String, String> problem, int leastSize) {
        this.problems = problems;
        this.problem = problem;
        this.leastSize = leastSize;
    }

    JgfVertex read(int at, JsonNode vertex) {
        index = at;
        key = "";
        key = key(vertex.path("id"));
        metadata = vertex.path("metadata");
        if (!metadata.isObject()) {
            fault("metadata must be a dictionary");
        }
        Map<String, String> paths = texts("paths", "must be a dictionary of paths by subsystem", false);
        String type = text("type", "");
        if (type.isEmpty()) {
            fault("metadata.type must be a non-empty string");
        }
        long size = integer("size", 1, leastSize, Long.MAX_VALUE);
        String basename = text("basename", type);
        String unit = text("unit", "");
        Map<String, String> given = texts("properties", "must be a dictionary", true);
        SortedMap<String, String> properties = given.isEmpty() ? Collections.emptySortedMap() : new TreeMap<>(given);
        String name = metadata.has("name") ? text("name", "") : null;
        long id = metadata.has("id")
                ? integer("id", JgfVertex.NO_ID, Long.MIN_VALUE, Long.MAX_VALUE)
                : impliedId(name, basename);
        id = Math.max(JgfVertex.NO_ID, id);
        int rank = (int) integer("rank", -1, -1, Integer.MAX_VALUE - 1);
        if (!metadata.path("state").isTextual()) {
            integer("status", 0, 0, 1);
        }
        String shown = name != null ? name : id == JgfVertex.NO_ID ? basename : basename + id;
        return new JgfVertex(
                key,
                type,
                basename,
                shown,
                id,
                rank,
                size,
                unit,
                properties,
                metadata.has("paths") ? paths : null,
                more(vertex));
    }

    private Map<String, JsonNode> more(JsonNode vertex) {
        Map<String, JsonNode> more = new LinkedHashMap<>();
        metadata.properties().forEach(e -> {
            // A uniq_id that equals the vertex's id is not kept, because it adds no information.
            boolean redundant =
                    e.getKey().equals("uniq_id") && e.getValue().asText().equals(key);
            if (!redundant && !BASE.contains(e.getKey())) {
                more.put(e.getKey(), e.getValue());
            }
        });
        vertex.properties().forEach(e -> {
            if (!e.getKey().equals("id") && !e.getKey().equals("metadata")) {
                more.put(JgfVertex.OUTSIDE + e.getKey(), e.getValue());
            }
        });
        return more.isEmpty() ? Map.of() : more;
    }

    /** Reports that the vertex that was read last is at fault. */
    void fault(String sentence) {
        problem.accept(place(), sentence);
    }

    private String place() {
        return "/graph/nodes/" + index + (key.isEmpty() ? "" : " (vertex \"" + key + "\")");
    }

    private String key(JsonNode given) {
        if (given.isIntegralNumber()) {
            problems.warn(place(), "id must be a string; the number is read as a string");
        } else if (!given.isTextual() || given.textValue().isEmpty()) {
            fault(given.isMissingNode() ? "id is missing" : "id must be a non-empty string");
        }
        return given.asText("");
    }

    /** Returns the strings of a dictionary. With {@code lenient}, a number or boolean is taken for a string. */
    private Map<String, String> texts(String of, String demand, boolean lenient) {
        JsonNode given = metadata.path(of);
        if (!given.isMissingNode() && !given.isObject()) {
            fault("metadata." + of + " " + demand);
        }
        if (given.isEmpty()) {
            return Map.of();
        }
        Map<String, String> texts = new LinkedHashMap<>();
        given.properties().forEach(e -> {
            JsonNode value = e.getValue();
            if (!value.isTextual() && (!lenient || value.isContainerNode() || value.isNull())) {
                fault("metadata." + of + "." + e.getKey() + " must be a string");
            } else if (!value.isTextual()) {
                problems.warn(
                        place(),
                        "metadata." + of + "." + e.getKey() + " must be a string; the value is read as a string");
            }
            texts.put(e.getKey(), value.asText());
        });
        return texts.size() == 1 ? Map.copyOf(texts) : texts;
    }

    /**
     * Returns the id that Fluxion would use: the number at the end of the name or, without a name, uniq_id, which defaults to
     * the vertex's id.
     */
    private long impliedId(@Nullable String name, String basename) {
        if (name != null) {
            return name.startsWith(basename) ? number(name.substring(basename.length())) : JgfVertex.NO_ID;
        }
        JsonNode unique = metadata.path("uniq_id");
        return unique.isIntegralNumber() ? unique.longValue() : number(key);
    }

    private static long number(String digits) {
        return digits.matches("0|[1-9][0-9]{0,17}") ? Long.parseLong(digits) : JgfVertex.NO_ID;
    }

    private String text(String of, String unset) {
        JsonNode value = metadata.path(of);
        if (!value.isMissingNode() && !value.isTextual()) {
            fault("metadata." + of + " must be a string");
        }
        return value.isTextual() ? value.textValue() : unset;
    }

    /** Returns an integer of the metadata; {@code unset} if it is missing, or after a problem was added. */
    private long integer(String of, long unset, long min, long max) {
        JsonNode value = metadata.path(of);
        if (value.isMissingNode()) {
            return unset;
        }
        boolean whole = value.isIntegralNumber() && value.canConvertToLong();
        if (!whole || value.longValue() < min || value.longValue() > max) {
            fault("metadata." + of + " must be an integer" + (min == 0 || min == 1 ? " of " + min + " or more" : "")
                    + ", not " + value);
            return unset;
        }
        return value.longValue();
    }
}
