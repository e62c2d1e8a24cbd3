package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonFactory;
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
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON text into a tree and refuses what some other reader would not accept or would understand differently: duplicate
 * keys, text after the end, deep nesting, and strings or numbers that not every reader takes. Numbers stay as they were
 * written: a float stays a float with its digits. Only a zero loses its sign, because a decimal has no negative zero.
 */
public final class StrictJson {
    /** The deepest nesting that is accepted. R is sent some levels down in responses, and schedulers read at most 256 levels. */
    private static final int MAX_DEPTH = 200;

    /**
     * The largest scale that is accepted: far more than any double needs, and far less than the scale at which a written
     * decimal could no longer be read again.
     */
    private static final int MAX_SCALE = 10_000;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private static final JsonNodeFactory NODES = new FloatsStayFloats();

    /**
     * Creates the nodes of numbers. A float without decimals keeps one, because {@code 1e0} would be written as {@code 1},
     * which jansson reads as an integer.
     */
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

    /** Returns the tree, or null after a problem was added to {@code problems}. */
    public static @Nullable JsonNode read(byte[] utf8, Problems problems) {
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

    public static @Nullable JsonNode read(String text, Problems problems) {
        try (JsonParser in = FACTORY.createParser(text)) {
            Problems found = new Problems();
            JsonNode tree = new Reader(in, found).document();
            found.errors().forEach(problem -> problems.add(problem.place(), problem.sentence()));
            return found.isEmpty() ? tree : null;
        } catch (JsonProcessingException e) {
            problems.add("", "is not JSON: it " + NotJson.blindSentence(e));
            return null;
        } catch (NumberFormatException e) {
            problems.add("", "has a number that is out of range");
            return null;
        } catch (IOException e) {
            throw new UncheckedIOException("text in memory cannot fail to be read", e);
        }
    }

    /**
     * Builds the tree from the tokens of the parser. Jackson's ObjectMapper could do the same, but loading it takes a
     * command-line tool longer than everything else that the tool does.
     */
    private record Reader(JsonParser in, Problems problems) {
        JsonNode document() throws IOException {
            JsonToken first = in.nextToken();
            if (first == null) {
                return NODES.missingNode();
            }
            JsonNode tree = value(first);
            if (in.nextToken() != null) {
                throw new JsonParseException(in, NotJson.GOES_ON, in.currentTokenLocation());
            }
            return tree;
        }

        /** Returns the value that begins with {@code token}. The parser's limit on nesting bounds the recursion. */
        private JsonNode value(JsonToken token) throws IOException {
            return switch (token) {
                case START_OBJECT -> object();
                case START_ARRAY -> array();
                case VALUE_STRING -> text();
                case VALUE_NUMBER_INT -> checked(integer());
                case VALUE_NUMBER_FLOAT -> checked(NODES.numberNode(in.getDecimalValue()));
                case VALUE_TRUE -> NODES.booleanNode(true);
                case VALUE_FALSE -> NODES.booleanNode(false);
                default -> NODES.nullNode();
            };
        }

        private ObjectNode object() throws IOException {
            ObjectNode object = NODES.objectNode();
            for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
                String fault = PortableJson.keyFault(name);
                if (fault != null) {
                    problem("the key " + fault);
                }
                object.set(name, value(in.nextToken()));
            }
            return object;
        }

        private ArrayNode array() throws IOException {
            ArrayNode array = NODES.arrayNode();
            for (JsonToken token = in.nextToken(); token != JsonToken.END_ARRAY; token = in.nextToken()) {
                array.add(value(token));
            }
            return array;
        }

        private JsonNode text() throws IOException {
            String text = in.getText();
            String fault = PortableJson.stringFault(text);
            if (fault != null) {
                problem(fault);
            }
            return NODES.textNode(text);
        }

        private JsonNode integer() throws IOException {
            return switch (in.getNumberType()) {
                case INT -> NODES.numberNode(in.getIntValue());
                case LONG -> NODES.numberNode(in.getLongValue());
                default -> NODES.numberNode(in.getBigIntegerValue());
            };
        }

        private JsonNode checked(JsonNode number) {
            String fault = PortableJson.numberFault(number);
            if (fault != null) {
                problem(fault);
            }
            return number;
        }

        private void problem(String sentence) {
            problems.add(in.getParsingContext().pathAsPointer().toString(), sentence);
        }
    }

    /** Returns the kind of a value in words that can end a sentence, such as "an array". */
    public static String kind(@Nullable JsonNode value) {
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
}
