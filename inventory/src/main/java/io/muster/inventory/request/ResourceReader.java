package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a list of resources (RFC 14) and collects all faults in it. A reader serves one document. */
final class ResourceReader {
    private static final Set<String> KNOWN = Set.of("type", "count", "with", "unit", "label", "exclusive", "id");

    private final RequestTree document;
    private final Problems problems;
    private final Map<String, String> labels = new HashMap<>();

    ResourceReader(RequestTree document, Problems problems) {
        this.document = document;
        this.problems = problems;
    }

    List<Resource> list(JsonNode node, String pointer) {
        return list(node, pointer, 1);
    }

    private List<Resource> list(JsonNode node, String pointer, int depth) {
        if (!node.isArray()) {
            add(pointer, "must be a list of resource vertices, not " + RequestTree.kind(node));
            return List.of();
        }
        if (node.isEmpty()) {
            add(pointer, "must list at least one resource vertex");
        }
        if (depth > Resource.MAX_DEPTH) {
            add(pointer, "nested deeper than " + Resource.MAX_DEPTH + " levels");
            return List.of();
        }
        List<Resource> resources = new ArrayList<>(node.size());
        for (int i = 0; i < node.size(); i++) {
            @Nullable Resource resource = vertex(node.get(i), pointer + "/" + i, depth);
            if (resource != null) {
                resources.add(resource);
            }
        }
        return resources;
    }

    private @Nullable Resource vertex(JsonNode node, String pointer, int depth) {
        if (!node.isObject()) {
            add(pointer, "a resource vertex must be a dictionary, not " + RequestTree.kind(node));
            return null;
        }
        @Nullable String type = type(node, pointer);
        boolean dropped = isZeroGpu(type, node, pointer);
        @Nullable Count count = dropped ? null : count(node, pointer);
        Map<String, JsonNode> attributes = attributes(node, pointer);
        List<Resource> with = node.has("with") ? list(node.get("with"), pointer + "/with", depth + 1) : List.of();
        slotRules(type, node, pointer);
        return type == null || count == null ? null : new Resource(type, count, attributes, with);
    }

    private @Nullable String type(JsonNode node, String pointer) {
        JsonNode type = node.get("type");
        if (type == null) {
            add(pointer, "type is missing");
            return null;
        }
        if (!type.isTextual() || type.textValue().isEmpty()) {
            add(pointer + "/type", "must be a non-empty string, not " + RequestTree.kind(type));
            return null;
        }
        return type.textValue();
    }

    private @Nullable Count count(JsonNode node, String pointer) {
        if (!node.has("count")) {
            add(pointer, "count is missing");
            return null;
        }
        return Count.parse(node.get("count"), document.place(pointer + "/count"), problems);
    }

    /**
     * Returns whether the vertex asks for 0 gpus. Such a vertex is skipped with a warning, because flux-core accepts it,
     * although both schedulers of Flux then call the job infeasible.
     */
    private boolean isZeroGpu(@Nullable String type, JsonNode node, String pointer) {
        JsonNode count = node.get("count");
        boolean zero = "gpu".equals(type) && count != null && count.isIntegralNumber() && count.asLong() == 0;
        if (zero) {
            problems.warn(
                    document.place(pointer + "/count"), "a gpu count of 0 is not in RFC 14; the vertex is left out");
        }
        return zero;
    }

    private Map<String, JsonNode> attributes(JsonNode node, String pointer) {
        Map<String, JsonNode> attributes = new LinkedHashMap<>();
        node.properties().forEach(entry -> {
            String key = entry.getKey();
            String at = Pointer.of(pointer, key);
            if (!KNOWN.contains(key)) {
                problems.warn(document.place(at), "RFC 14 has no such key");
            } else if (key.equals("exclusive") && !entry.getValue().isBoolean()) {
                add(at, "must be true or false, not " + entry.getValue());
            } else if (Set.of("unit", "label", "id").contains(key)
                    && !entry.getValue().isTextual()) {
                add(at, "must be a string, not " + RequestTree.kind(entry.getValue()));
            }
            if (!Set.of("type", "count", "with").contains(key)) {
                attributes.put(key, entry.getValue().deepCopy());
            }
        });
        uniqueLabel(node.get("label"), pointer);
        return attributes;
    }

    private void uniqueLabel(@Nullable JsonNode label, String pointer) {
        if (label != null && label.isTextual()) {
            @Nullable String first = labels.putIfAbsent(label.textValue(), pointer);
            if (first != null) {
                add(
                        pointer + "/label",
                        "label \"" + label.textValue() + "\" is already used at " + document.place(first));
            }
        }
    }

    private void slotRules(@Nullable String type, JsonNode node, String pointer) {
        if (!Resource.SLOT.equals(type)) {
            return;
        }
        if (!node.has("label")) {
            add(pointer, "a slot must have a label");
        }
        if (!node.has("with")) {
            add(pointer, "a slot must have resources in it (with)");
        }
    }

    private void add(String pointer, String sentence) {
        problems.add(document.place(pointer), sentence);
    }
}
