package io.muster.inventory.rset;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * JSON text to tree: no duplicate keys, nothing after the end, bounded depth, valid Unicode, and numbers as they were
 * written (a float stays a float with its digits; only a zero loses its sign, which no decimal has).
 */
final class StrictJson {
    private static final int MAX_DEPTH = 256;

    /** Far beyond any double, and far from where decimals that were written can not be read again. */
    private static final int MAX_SCALE = 10_000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final JsonNodeFactory NODES = new FloatsStayFloats();

    /** {@code 1e0} would be written as {@code 1}, which is an integer to jansson. */
    private static final class FloatsStayFloats extends JsonNodeFactory {
        @Override
        public ValueNode numberNode(BigDecimal value) {
            if (Math.abs((long) value.scale()) > MAX_SCALE) {
                throw new NumberFormatException("exponent out of range");
            }
            return super.numberNode(value.scale() == 0 ? value.setScale(1) : value);
        }
    }

    private StrictJson() {}

    /** The tree, or null and a problem. */
    static @Nullable JsonNode read(byte[] utf8, Problems problems) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
            return read(text, problems);
        } catch (CharacterCodingException e) {
            problems.add("", "is not valid UTF-8");
            return null;
        }
    }

    static @Nullable JsonNode read(String text, Problems problems) {
        try {
            JsonNode tree = document(text);
            if (mayHoldSurrogates(text) && hasLoneSurrogate(tree)) {
                problems.add("", "is not JSON: a string has half of a surrogate pair");
                return null;
            }
            return tree;
        } catch (JsonProcessingException e) {
            problems.add("", "is not JSON: " + NotJson.sentence(e) + place(e.getLocation()));
            return null;
        } catch (NumberFormatException e) {
            problems.add("", "has a number that is out of range");
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("text in memory cannot fail to be read", e);
        }
    }

    /** Built here because an ObjectMapper takes a command-line tool longer to load than all that it does besides. */
    private static JsonNode document(String text) throws IOException {
        try (JsonParser in = FACTORY.createParser(text)) {
            JsonToken first = in.nextToken();
            if (first == null) {
                return NODES.missingNode();
            }
            JsonNode tree = value(in, first);
            if (in.nextToken() != null) {
                throw new JsonParseException(in, "something follows the end of the value", in.currentTokenLocation());
            }
            return tree;
        }
    }

    /** Recursion is bounded by the parser's nesting limit. */
    private static JsonNode value(JsonParser in, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(in);
            case START_ARRAY -> array(in);
            case VALUE_STRING -> NODES.textNode(in.getText());
            case VALUE_NUMBER_INT -> integer(in);
            case VALUE_NUMBER_FLOAT -> NODES.numberNode(in.getDecimalValue());
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            default -> NODES.nullNode();
        };
    }

    private static ObjectNode object(JsonParser in) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
            object.set(name, value(in, in.nextToken()));
        }
        return object;
    }

    private static ArrayNode array(JsonParser in) throws IOException {
        ArrayNode array = NODES.arrayNode();
        for (JsonToken token = in.nextToken(); token != JsonToken.END_ARRAY; token = in.nextToken()) {
            array.add(value(in, token));
        }
        return array;
    }

    private static JsonNode integer(JsonParser in) throws IOException {
        return switch (in.getNumberType()) {
            case INT -> NODES.numberNode(in.getIntValue());
            case LONG -> NODES.numberNode(in.getLongValue());
            default -> NODES.numberNode(in.getBigIntegerValue());
        };
    }

    private static String place(@Nullable JsonLocation location) {
        return location == null ? "" : " at line " + location.getLineNr() + ", column " + location.getColumnNr();
    }

    /** Whether the text has a surrogate or the escape of one; few have, and only those need a walk of the tree. */
    private static boolean mayHoldSurrogates(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (Character.isSurrogate(c) || (c == '\\' && text.regionMatches(true, i + 1, "ud", 0, 2))) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasLoneSurrogate(JsonNode tree) {
        if (tree.isTextual()) {
            return hasLoneSurrogate(tree.textValue());
        }
        for (Map.Entry<String, JsonNode> member : tree.properties()) {
            if (hasLoneSurrogate(member.getKey())) {
                return true;
            }
        }
        for (Iterator<JsonNode> children = tree.elements(); children.hasNext(); ) {
            if (hasLoneSurrogate(children.next())) {
                return true;
            }
        }
        return false;
    }

    static boolean hasLoneSurrogate(String text) {
        return text.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE);
    }

    /** What a value is, as the end of a sentence: "an array". */
    static String kind(@Nullable JsonNode value) {
        if (value == null || value.isMissingNode()) {
            return "nothing";
        }
        String type = value.getNodeType().name().toLowerCase(Locale.ROOT);
        return switch (value.getNodeType()) {
            case ARRAY, OBJECT -> "an " + type;
            case NULL -> "null";
            default -> "a " + type;
        };
    }

    /** RFC 6901. */
    static String pointer(String parent, String key) {
        return parent + "/" + key.replace("~", "~0").replace("/", "~1");
    }
}
