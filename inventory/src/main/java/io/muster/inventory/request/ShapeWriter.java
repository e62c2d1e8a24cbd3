package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Map;

/** Writes a list of resources as its shortest shape. A writer serves one list. */
final class ShapeWriter {
    private final List<Resource> resources;
    private final String defaultLabel;
    private final boolean soleSlot;
    private final StringBuilder out = new StringBuilder();

    ShapeWriter(List<Resource> resources, String defaultLabel) {
        this.resources = resources;
        this.defaultLabel = defaultLabel;
        this.soleSlot = slots(resources) == 1;
    }

    private static int slots(List<Resource> list) {
        return list.stream()
                .mapToInt(r -> (r.isSlot() ? 1 : 0) + slots(r.with()))
                .sum();
    }

    String write() {
        list(resources);
        return out.toString();
    }

    private void list(List<Resource> list) {
        if (list.size() == 1) {
            vertex(list.get(0));
            return;
        }
        char lead = '[';
        for (Resource resource : list) {
            out.append(lead);
            vertex(resource);
            lead = ';';
        }
        out.append(']');
    }

    private void vertex(Resource resource) {
        out.append(resource.isSlot() ? Resource.SLOT : type(resource.type()));
        if (!resource.count().equals(Count.ONE)) {
            out.append('=').append(resource.count());
        }
        braces(resource);
        if (!resource.with().isEmpty()) {
            out.append('/');
            list(resource.with());
        }
    }

    private void braces(Resource resource) {
        String label = resource.label();
        boolean labelled = resource.isSlot() && label != null;
        boolean implied = labelled && soleSlot && resource.attributes().size() == 1 && defaultLabel.equals(label);
        if (implied || resource.attributes().isEmpty()) {
            return;
        }
        out.append('{');
        if (labelled && label != null) {
            out.append(label(label));
        }
        members(resource.attributes(), labelled);
        out.append('}');
    }

    private void members(Map<String, JsonNode> members, boolean labelled) {
        boolean first = !labelled;
        for (Map.Entry<String, JsonNode> member : members.entrySet()) {
            if (labelled && member.getKey().equals("label")) {
                continue;
            }
            out.append(first ? "" : ",");
            member(member.getKey(), member.getValue());
            first = false;
        }
    }

    private void member(String key, JsonNode value) {
        if (value.isBoolean()) {
            out.append(value.booleanValue() ? "" : "-").append(key(key));
        } else {
            out.append(key(key)).append(':');
            value(value);
        }
    }

    private void value(JsonNode value) {
        if (value.isObject()) {
            out.append('{');
            int start = out.length();
            value.properties().forEach(e -> {
                out.append(out.length() == start ? "" : ",");
                member(e.getKey(), e.getValue());
            });
            out.append('}');
        } else if (value.isArray()) {
            char lead = '[';
            for (JsonNode element : value) {
                out.append(lead);
                element(element);
                lead = ',';
            }
            out.append(value.isEmpty() ? "[]" : "]");
        } else {
            out.append(value.isTextual() ? string(value.textValue()) : value.toString());
        }
    }

    private void element(JsonNode element) {
        if (element.isTextual()) {
            out.append(quote(element.textValue()));
        } else {
            value(element);
        }
    }

    private static String type(String type) {
        // flux-core takes a bare Slot for a slot, so that type is quoted.
        boolean bare = isBare(type, "={}[]/;,\"'") && type.chars().noneMatch(c -> c <= ' ');
        return bare && !type.equalsIgnoreCase(Resource.SLOT) ? type : quote(type);
    }

    private static String label(String label) {
        return isBare(label, "{}[],:\"'") && !isSigned(label) ? label : quote(label);
    }

    private static String key(String key) {
        if (key.equals("exclusive")) {
            return "x";
        }
        return isBare(key, "{}[],:\"'") && !isSigned(key) && !key.equals("x") ? key : quote(key);
    }

    private static String string(String value) {
        return isBare(value, "{}[],\"'") && ShapeItems.isPlainString(value) ? value : quote(value);
    }

    private static boolean isSigned(String word) {
        return word.startsWith("+") || word.startsWith("-");
    }

    private static boolean isBare(String word, String special) {
        return !word.isEmpty()
                && word.equals(word.strip())
                && word.chars().noneMatch(c -> c < ' ' || special.indexOf(c) >= 0);
    }

    private static String quote(String value) {
        return TextNode.valueOf(value).toString();
    }
}
