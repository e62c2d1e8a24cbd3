package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Checks a list of resources for the rules that version 1 of the jobspec (RFC 25) adds to the rules of RFC 14. */
final class V1Resources {
    private static final Map<String, Set<String>> KEYS = Map.of(
            "node", Set.of("type", "count", "unit", "with", "label", "exclusive"),
            "slot", Set.of("type", "count", "unit", "with", "label", "exclusive"),
            "core", Set.of("type", "count", "unit"),
            "gpu", Set.of("type", "count", "unit"));
    private static final Map<String, Set<String>> CHILDREN =
            Map.of("node", Set.of("slot"), "slot", Set.of("core", "gpu"), "core", Set.of(), "gpu", Set.of());

    private final RequestTree document;
    private final Problems problems;
    private boolean core;

    V1Resources(RequestTree document, Problems problems) {
        this.document = document;
        this.problems = problems;
    }

    void check(JsonNode list) {
        if (list.size() > 1) {
            add("/resources", "version 1 takes exactly one vertex here, not " + list.size());
        }
        for (int i = 0; i < list.size(); i++) {
            vertex(list.get(i), "/resources/" + i, Set.of("node", "slot"), 0);
        }
        if (!core) {
            add("/resources", "version 1 must ask for cores");
        }
    }

    private void vertex(JsonNode node, String at, Set<String> expected, int depth) {
        if (!node.isObject() || depth > Resource.MAX_DEPTH) {
            return;
        }
        String type = node.path("type").asText("");
        core |= type.equals("core");
        count(node.path("count"), type, at + "/count");
        if (!expected.contains(type) && node.path("type").isTextual()) {
            String wanted = expected.isEmpty() ? "nothing" : String.join(" or ", new TreeSet<>(expected));
            add(at + "/type", "version 1 has " + wanted + " here, not \"" + type + "\"");
        }
        keys(node, type, at);
        children(node.path("with"), type, at + "/with", depth);
    }

    private void count(JsonNode count, String type, String at) {
        if (!count.isMissingNode() && !count.isIntegralNumber()) {
            add(at, "version 1 takes an integer only, not " + count);
        } else if (type.equals("gpu") && count.isIntegralNumber() && count.asLong() == 0) {
            add(at, "must be at least 1, not 0");
        }
    }

    private void keys(JsonNode node, String type, String at) {
        for (String key : type.equals("node") ? List.of("exclusive", "label") : List.<String>of()) {
            if (node.has(key)) {
                problems.warn(
                        document.place(at + "/" + key), "RFC 25's text allows this on a node, its schema does not");
            }
        }
        if (type.equals("node") && !node.has("with")) {
            add(at, "a node must have a slot in it (with)");
        }
        Set<String> known = KEYS.get(type);
        node.fieldNames().forEachRemaining(key -> {
            if (known != null && !known.contains(key)) {
                add(Pointer.of(at, key), "version 1 has no such key in a " + type);
            }
        });
    }

    private void children(JsonNode with, String type, String at, int depth) {
        Set<String> expected = CHILDREN.getOrDefault(type, Set.of());
        if (with.size() > expected.size() && CHILDREN.containsKey(type) && !expected.isEmpty()) {
            add(at, "version 1 takes at most " + expected.size() + " here, not " + with.size());
        } else if (with.size() == 2
                && with.path(0).path("type").equals(with.path(1).path("type"))) {
            add(at, "version 1 takes each type once");
        }
        for (int i = 0; i < with.size(); i++) {
            vertex(with.path(i), at + "/" + i, expected, depth + 1);
        }
    }

    private void add(String pointer, String sentence) {
        problems.add(document.place(pointer), sentence);
    }
}
