package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.muster.inventory.problem.MalformedException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A recursive-descent parser of the grammar of RFC 46. A parser reads one shape; {@link ShapeItems} reads the parts in
 * braces.
 */
final class ShapeParser {
    /**
     * Keys that are refused in braces. The type and the count come before the braces and the children ({@code with}) after
     * the slash, so values for these keys would be lost.
     */
    private static final Set<String> RESERVED = Set.of("type", "count", "with");

    private final ShapeText text;
    private final String defaultLabel;
    private final Map<String, Integer> labels = new HashMap<>();
    private int slots;
    private int unlabelledAt = -1;

    ShapeParser(String text, String defaultLabel) {
        this.text = new ShapeText(text);
        this.defaultLabel = defaultLabel;
        if (text.length() > Shape.MAX_CHARS) {
            throw this.text.malformed(Shape.MAX_CHARS, "longer than " + Shape.MAX_CHARS + " characters");
        }
    }

    List<Resource> parse() {
        List<Resource> list = list(1);
        text.blanks();
        if (text.peek() == ';') {
            throw text.malformed("expected the end; a list of several vertices needs [ ]");
        }
        if (!text.atEnd()) {
            throw text.malformed("expected '/' or the end");
        }
        if (unlabelledAt >= 0 && slots > 1) {
            throw text.malformed(unlabelledAt, "expected {label}: with several slots each must have one");
        }
        return list;
    }

    private List<Resource> list(int depth) {
        if (depth > Resource.MAX_DEPTH) {
            throw text.malformed("nested deeper than " + Resource.MAX_DEPTH + " levels");
        }
        text.blanks();
        if (text.peek() != '[') {
            return List.of(vertex(depth));
        }
        text.take('[');
        List<Resource> list = new ArrayList<>();
        do {
            list.add(vertex(depth));
            text.blanks();
        } while (text.take(';'));
        if (!text.take(']')) {
            throw text.malformed("expected ';' or ']'");
        }
        return list;
    }

    private Resource vertex(int depth) {
        text.blanks();
        int start = text.at();
        String type = type();
        boolean slot = type.equals(Resource.SLOT);
        text.blanks();
        Count count = text.take('=') ? count() : Count.ONE;
        Map<String, JsonNode> attributes = slot ? slotItems(start) : items(false);
        text.blanks();
        boolean children = text.take('/');
        if (slot && !children) {
            throw text.malformed("expected '/' and what is in the slot");
        }
        List<Resource> with = children ? list(depth + 1) : List.of();
        return new Resource(type, count, attributes, with);
    }

    private String type() {
        int start = text.at();
        String type = text.atQuote() ? text.quoted() : text.bareType();
        if (type.isEmpty()) {
            String reason = "expected a resource type" + (text.peek() == '[' ? ", not a list in a list" : "");
            throw start == text.at() ? text.malformed(reason) : text.malformed(start, reason);
        }
        return type;
    }

    private Count count() {
        text.blanks();
        int start = text.at();
        String written = text.bareCount();
        if (written.isEmpty()) {
            throw text.malformed("expected a count");
        }
        try {
            return Count.parse(withoutBlanks(written));
        } catch (MalformedException e) {
            throw text.malformed(start + positionWithBlanks(written, e.position()), e.reason());
        }
    }

    /** Removes blanks around the signs of a range, as in {@code 2 - 4}. Blanks within a number stay and are refused later. */
    private static String withoutBlanks(String written) {
        return written.replaceAll("\\s*([-+:\\[\\]])\\s*", "$1");
    }

    private static int positionWithBlanks(String written, int position) {
        int at = 0;
        for (int seen = 0; at < written.length(); at++) {
            if (!ShapeText.isBlank(written.charAt(at)) && seen++ == position) {
                break;
            }
        }
        return at;
    }

    private Map<String, JsonNode> slotItems(int start) {
        slots++;
        text.blanks();
        if (text.peek() != '{') {
            unlabelledAt = unlabelledAt < 0 ? start : unlabelledAt;
            return Map.of("label", TextNode.valueOf(defaultLabel));
        }
        return items(true);
    }

    private Map<String, JsonNode> items(boolean slot) {
        text.blanks();
        if (text.peek() != '{') {
            return Map.of();
        }
        ShapeItems items = new ShapeItems(text);
        Map<String, JsonNode> attributes = new LinkedHashMap<>();
        text.take('{');
        if (slot) {
            label(items, attributes);
        }
        items.members(attributes, slot, this::refuseReserved);
        JsonNode label = attributes.get("label");
        if (!slot && label != null && label.isTextual()) {
            unique(label.textValue(), text.at() - 1);
        }
        return attributes;
    }

    private void label(ShapeItems items, Map<String, JsonNode> attributes) {
        text.blanks();
        int start = text.at();
        String label = items.label();
        unique(label, start);
        attributes.put("label", TextNode.valueOf(label));
    }

    private void unique(String label, int at) {
        @Nullable Integer first = labels.putIfAbsent(label, at);
        if (first != null) {
            throw text.malformed(at, "label \"" + label + "\" is already used at position " + first);
        }
    }

    private void refuseReserved(String key, int at, JsonNode value) {
        if (RESERVED.contains(key)) {
            String where = key.equals("with") ? "after a '/'" : "in front of the braces";
            throw text.malformed(at, "\"" + key + "\" belongs " + where + ", not in braces");
        }
        if (key.equals("exclusive") && !(value instanceof BooleanNode)) {
            throw text.malformed(at, "exclusive must be true or false");
        }
        if (Set.of("unit", "label", "id").contains(key) && !value.isTextual()) {
            throw text.malformed(
                    at,
                    key + " must be a string, not " + value.getNodeType().name().toLowerCase(Locale.ROOT));
        }
    }
}
