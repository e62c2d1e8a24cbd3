package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One vertex of a jobspec's resources list (RFC 14, "Resources").
 *
 * @param attributes every key except type, count and with, in the order given: unit, label, exclusive, id and further keys
 * @param with the child vertices; empty for a leaf
 */
public record Resource(String type, Count count, Map<String, JsonNode> attributes, List<Resource> with) {
    /** The highest number of levels in a list of resources. Flux's own readers have the same limit. */
    public static final int MAX_DEPTH = 100;

    public static final String SLOT = "slot";
    public static final String NODE = "node";

    public Resource {
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        with = List.copyOf(with);
        if (height(with) >= MAX_DEPTH) {
            throw new IllegalArgumentException("resources nested deeper than " + MAX_DEPTH + " levels");
        }
    }

    private static int height(List<Resource> list) {
        int most = 0;
        for (Resource resource : list) {
            most = Math.max(most, 1 + height(resource.with));
        }
        return most;
    }

    public static Resource of(String type, int count, Resource... with) {
        return new Resource(type, Count.of(count), Map.of(), List.of(with));
    }

    /**
     * Reads a list of resources in JSON or YAML.
     *
     * @throws InvalidException with every problem, each at its JSON pointer and, in YAML, its line
     */
    public static List<Resource> parseList(String text) {
        RequestTree document = RequestTree.parse("resources", text);
        return parseList(document, document.root());
    }

    /**
     * Reads a list of resources.
     *
     * @throws InvalidException with every problem, each at its JSON pointer
     */
    public static List<Resource> parseList(JsonNode list) {
        return parseList(RequestTree.of(list), list);
    }

    private static List<Resource> parseList(RequestTree document, JsonNode list) {
        Problems problems = new Problems();
        List<Resource> resources = new ResourceReader(document, problems).list(list, "");
        problems.throwIfAny("resources");
        return resources;
    }

    public boolean isSlot() {
        return type.equals(SLOT);
    }

    public @Nullable String unit() {
        return text("unit");
    }

    public @Nullable String label() {
        return text("label");
    }

    /**
     * Returns the value of the key {@code exclusive}, or null if none is given. RFC 14 takes a missing value for true inside
     * a slot and for false outside.
     */
    public @Nullable Boolean exclusive() {
        JsonNode node = attributes.get("exclusive");
        return (node == null || !node.isBoolean()) ? null : node.booleanValue();
    }

    private @Nullable String text(String key) {
        JsonNode node = attributes.get(key);
        return node == null ? null : node.textValue();
    }

    /** Returns whether this vertex or any vertex below it has the type {@code wanted}. */
    public boolean mentions(String wanted) {
        return type.equals(wanted) || with.stream().anyMatch(r -> r.mentions(wanted));
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("type", type);
        json.set("count", count.toJson());
        attributes.forEach((key, value) -> json.set(key, value.deepCopy()));
        if (!with.isEmpty()) {
            json.set("with", toJson(with));
        }
        return json;
    }

    public static ArrayNode toJson(List<Resource> resources) {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        resources.forEach(r -> list.add(r.toJson()));
        return list;
    }
}
