package io.muster.inventory.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the part of a shape between braces: a label and pairs of keys and values, which RFC 46 calls {@code dict}. */
final class ShapeItems {
    /** A number in JSON's grammar. The form {@code 1.} is accepted too, because flux-core's parser accepts it. */
    static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]*)?([eE][-+]?[0-9]+)?");

    private static final int MAX_DEPTH = 100;
    private static final int MAX_DIGITS = 1000;

    /** Checks a key before the reader stores its value, and refuses keys that are not allowed. */
    interface Check {
        void key(String key, int at, JsonNode value);
    }

    private final ShapeText text;
    private int depth;

    ShapeItems(ShapeText text) {
        this.text = text;
    }

    /** Reads the label of a slot: the first entry in the braces, which is a value without a key. */
    String label() {
        int start = text.at();
        boolean quoted = text.atQuote();
        String label = quoted ? text.quoted() : text.bare("{},:\"'").strip();
        text.blanks();
        boolean signed = !quoted && (label.startsWith("+") || label.startsWith("-"));
        if (label.isEmpty() || signed || text.peek() == ':') {
            throw text.malformed(start, "expected the slot's label, a value without a key");
        }
        return label;
    }

    /**
     * Reads members up to and including the closing brace.
     *
     * @param more whether a member has been read already, so that a comma must come first
     */
    void members(Map<String, JsonNode> into, boolean more, Check check) {
        text.blanks();
        if (text.take('}')) {
            return;
        }
        if (more && !text.take(',')) {
            throw text.malformed("expected ',' or '}'");
        }
        do {
            member(into, check);
            text.blanks();
        } while (text.take(','));
        if (!text.take('}')) {
            throw text.malformed("expected ',' or '}'");
        }
    }

    private void member(Map<String, JsonNode> into, Check check) {
        text.blanks();
        int start = text.at();
        char sign = text.peek();
        boolean signed = sign == '+' || sign == '-';
        if (signed) {
            text.next();
        }
        String key = key();
        text.blanks();
        if (signed && text.peek() == ':') {
            throw text.malformed("expected ',' or '}': a key with a sign has no value");
        }
        JsonNode value = text.take(':') ? value() : BooleanNode.valueOf(sign != '-');
        check.key(key, start, value);
        if (into.putIfAbsent(key, value) != null) {
            throw text.malformed(start, "key \"" + key + "\" is given twice");
        }
    }

    private String key() {
        if (text.atQuote()) {
            return text.quoted();
        }
        String key = text.bare(",{}:\"'").strip();
        if (key.isEmpty()) {
            throw text.malformed("expected a key");
        }
        return key.equals("x") ? "exclusive" : key;
    }

    private JsonNode value() {
        text.blanks();
        if (++depth > MAX_DEPTH) {
            throw text.malformed("nested deeper than " + MAX_DEPTH + " levels");
        }
        JsonNode value;
        if (text.atQuote()) {
            value = TextNode.valueOf(text.quoted());
        } else if (text.take('{')) {
            value = object();
        } else if (text.take('[')) {
            value = array();
        } else {
            value = bare(text.at(), text.bare(",{}[]\"'").strip());
        }
        depth--;
        return value;
    }

    private ObjectNode object() {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        members(members, false, (key, at, value) -> {});
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.setAll(members);
        return object;
    }

    private JsonNode bare(int start, String word) {
        if (word.isEmpty()) {
            throw text.malformed(start, "expected a value");
        }
        return switch (word) {
            case "true" -> BooleanNode.TRUE;
            case "false" -> BooleanNode.FALSE;
            case "null" -> NullNode.instance;
            default -> NUMBER.matcher(word).matches() ? number(start, word) : TextNode.valueOf(word);
        };
    }

    private JsonNode number(int start, String word) {
        if (word.length() > MAX_DIGITS) {
            throw text.malformed(start, "a number of more than " + MAX_DIGITS + " characters");
        }
        JsonNodeFactory json = JsonNodeFactory.instance;
        if (word.matches("-?[0-9]+")) {
            BigInteger n = new BigInteger(word);
            if (n.bitLength() < 32) {
                return json.numberNode(n.intValue());
            }
            return n.bitLength() < 64 ? json.numberNode(n.longValue()) : json.numberNode(n);
        }
        double d = Double.parseDouble(word);
        if (Double.isInfinite(d)) {
            throw text.malformed(start, "a number too large");
        }
        return json.numberNode(d);
    }

    /** Reads a JSON array. JSON's own rules apply inside, except that strings may be in single quotes. */
    private ArrayNode array() {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        text.blanks();
        if (text.take(']')) {
            return array;
        }
        do {
            array.add(element());
            text.blanks();
        } while (text.take(','));
        if (!text.take(']')) {
            throw text.malformed("expected ',' or ']'");
        }
        return array;
    }

    private JsonNode element() {
        text.blanks();
        int start = text.at();
        JsonNode element = value();
        if (element.isTextual() && !text.isQuoteAt(start)) {
            throw text.malformed(start, "expected a JSON value; a string in an array needs quotes");
        }
        return element;
    }

    /** Returns whether every reader, including flux-core's, reads this word without quotes as a string. */
    static boolean isPlainString(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return !lower.equals("true")
                && !lower.equals("false")
                && !lower.equals("null")
                && !NUMBER.matcher(word).matches();
    }
}
