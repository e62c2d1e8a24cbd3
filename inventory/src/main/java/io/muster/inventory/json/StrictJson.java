package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.POJONode;
import com.fasterxml.jackson.databind.node.ValueNode;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problems;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes JSON. The methods {@code read} refuse text that some other reader would not accept or would understand
 * differently: duplicate keys, text after the end, deep nesting, and strings or numbers that not every reader takes. Numbers stay as they
 * were written: a float stays a float with its digits. Only a zero loses its sign, because a decimal has no negative zero.
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
            .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
            .build();

    /**
     * Reads documents that Muster wrote. Strings may have any length, because the names of a million hosts are one string, and R may be
     * some levels down.
     */
    private static final JsonFactory STORED = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** The smallest value for which Double.toString uses an exponent. */
    private static final double LEAST_WITH_EXPONENT = 1e7;

    private static final double LEAST_BEYOND_INTEGERS = 1e16;

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

    private static final String OUT_OF_RANGE = "has a number that is out of range";

    private StrictJson() {}

    /** Returns the tree, or null after a problem was added to {@code problems}. */
    public static @Nullable JsonNode read(byte[] utf8, Problems problems) {
        return read(utf8, null, problems);
    }

    /** Returns the same, but the node of the document's member {@code packed} stands for a {@link RawJson}. */
    public static @Nullable JsonNode read(byte[] utf8, @Nullable String packed, Problems problems) {
        return read(chars(new ByteArrayInputStream(utf8)), problems, (tokens, first) -> tokens.tree(first, packed));
    }

    public static @Nullable JsonNode read(String text, Problems problems) {
        return read(text, null, problems);
    }

    public static @Nullable JsonNode read(String text, @Nullable String packed, Problems problems) {
        return read(new StringReader(text), problems, (tokens, first) -> tokens.tree(first, packed));
    }

    /** Returns the whole value as its text, or null after a problem was added to {@code problems}. */
    public static @Nullable RawJson readRaw(byte[] utf8, Problems problems) {
        return read(chars(new ByteArrayInputStream(utf8)), problems, Tokens::packed);
    }

    /**
     * Returns the tree of a document that Muster wrote, such as a journal entry or a snapshot. The node of R's key {@code scheduling}
     * stands for a {@link RawJson}.
     *
     * @throws IOException if the text is no JSON, or has strings or numbers that not every reader takes, which Muster never writes
     */
    public static JsonNode stored(byte[] utf8) throws IOException {
        return stored(utf8, 0, utf8.length);
    }

    public static JsonNode stored(byte[] utf8, int from, int length) throws IOException {
        Problems problems = new Problems();
        try (JsonParser in = STORED.createParser(utf8, from, length)) {
            JsonNode tree = new Tokens(in, problems, true, Map.of()).tree(in.nextToken(), null);
            checkEnd(in);
            if (problems.isEmpty()) {
                return tree;
            }
        } catch (NumberFormatException e) {
            problems.add("", OUT_OF_RANGE);
        }
        throw new IOException(
                "not JSON that Muster writes: " + problems.errors().get(0));
    }

    private static void checkEnd(JsonParser in) throws IOException {
        if (in.nextToken() != null) {
            throw new JsonParseException(in, NotJson.GOES_ON, in.currentTokenLocation());
        }
    }

    private interface Form<T> {
        /** Reads the document that begins with a token; null if the document is empty. */
        T read(Tokens tokens, @Nullable JsonToken first) throws IOException;
    }

    private static <T> @Nullable T read(Reader text, Problems problems, Form<T> form) {
        try (JsonParser in = FACTORY.createParser(text)) {
            Problems found = new Problems();
            T value = form.read(new Tokens(in, found), in.nextToken());
            checkEnd(in);
            found.errors().forEach(problem -> problems.add(problem.place(), problem.sentence()));
            return found.isEmpty() ? value : null;
        } catch (CharacterCodingException e) {
            problems.add("", "is not valid UTF-8");
            return null;
        } catch (JsonProcessingException e) {
            problems.add("", "is not JSON: it " + NotJson.blindSentence(e));
            return null;
        } catch (NumberFormatException e) {
            problems.add("", OUT_OF_RANGE);
            return null;
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Returns characters that cannot be read if the UTF-8 is malformed. Jackson's own reader of bytes also takes other encodings. */
    private static Reader chars(InputStream utf8) {
        return new InputStreamReader(utf8, StandardCharsets.UTF_8.newDecoder());
    }

    private static UncheckedIOException failed(IOException e) {
        return new UncheckedIOException("text in memory cannot fail to be read", e);
    }

    /** Returns the text of a tree in memory. */
    static RawJson pack(JsonNode tree) {
        try (JsonParser in = tree.traverse()) {
            return new Tokens(in, new Problems()).packed(in.nextToken());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Returns a packed text without the items that {@code gone} chooses, by the JSON pointers of their arrays. */
    static RawJson repack(InputStream utf8, Map<String, RawJson.Edit> edits) {
        try (JsonParser in = FACTORY.createParser(chars(utf8))) {
            return new Tokens(in, new Problems(), false, edits).packed(in.nextToken());
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /** Returns the tree of a packed text. */
    static JsonNode unpack(InputStream utf8) {
        try (JsonParser in = FACTORY.createParser(chars(utf8))) {
            return new Tokens(in, new Problems()).tree(in.nextToken(), null);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * Builds the tree from the tokens of the parser. Jackson's ObjectMapper could do the same, but loading it takes a
     * command-line tool longer than everything else that the tool does.
     *
     * @param problems receives the faults
     * @param stored whether the document has R some levels down, whose key {@code scheduling} is kept as its text
     */
    private record Tokens(JsonParser in, Problems problems, boolean stored, Map<String, RawJson.Edit> edits) {
        Tokens(JsonParser in, Problems problems) {
            this(in, problems, false, Map.of());
        }

        JsonNode tree(@Nullable JsonToken first, @Nullable String packed) throws IOException {
            if (first == null) {
                return NODES.missingNode();
            }
            return first == JsonToken.START_OBJECT ? object(packed) : value(first);
        }

        /** Returns the value that begins with {@code token}. The parser's limit on nesting bounds the recursion. */
        private JsonNode value(JsonToken token) throws IOException {
            return switch (token) {
                case START_OBJECT -> object(null);
                case START_ARRAY -> array();
                default -> scalar(token);
            };
        }

        private JsonNode scalar(JsonToken token) throws IOException {
            return switch (token) {
                case VALUE_STRING -> text();
                case VALUE_NUMBER_INT -> checked(integer());
                case VALUE_NUMBER_FLOAT -> checked(NODES.numberNode(in.getDecimalValue()));
                case VALUE_TRUE -> NODES.booleanNode(true);
                case VALUE_FALSE -> NODES.booleanNode(false);
                default -> NODES.nullNode();
            };
        }

        private ObjectNode object(@Nullable String packed) throws IOException {
            ObjectNode object = NODES.objectNode();
            for (String name = key(); name != null; name = key()) {
                JsonToken token = in.nextToken();
                boolean ofR = stored && token == JsonToken.START_OBJECT && name.equals("scheduling") && isOfR();
                object.set(name, ofR || name.equals(packed) ? packed(token).node() : value(token));
            }
            return object;
        }

        private boolean isOfR() {
            return "R".equals(in.getParsingContext().getParent().getParent().getCurrentName());
        }

        /** Returns the next key of an object, or null at its end. */
        private @Nullable String key() throws IOException {
            String name = in.nextFieldName();
            String fault = name == null ? null : PortableJson.keyFault(name);
            if (fault == null) {
                return name;
            }
            problem("the key " + fault);
            return "";
        }

        /** Returns a value as its text. The text must not be used if there are problems. */
        RawJson packed(@Nullable JsonToken first) throws IOException {
            if (first == null) {
                return new RawJson(NODES.missingNode(), List.of());
            }
            Pieces text = new Pieces();
            try (JsonGenerator out = FACTORY.createGenerator(text)) {
                JsonNode outline = first == JsonToken.START_OBJECT ? copyObject(out) : copy(first, out);
                out.flush();
                return new RawJson(outline, text.all());
            }
        }

        /** Writes an object. Returns its keys with the values that {@link #copy} returns. */
        private ObjectNode copyObject(JsonGenerator out) throws IOException {
            ObjectNode outline = NODES.objectNode();
            out.writeStartObject();
            for (String name = key(); name != null; name = key()) {
                out.writeFieldName(name);
                outline.set(name, copy(in.nextToken(), out));
            }
            out.writeEndObject();
            return outline;
        }

        /** Writes a value. Returns the value or, in place of an object or array, an empty one. */
        private JsonNode copy(JsonToken token, JsonGenerator out) throws IOException {
            switch (token) {
                case START_OBJECT -> {
                    out.writeStartObject();
                    for (String name = key(); name != null; name = key()) {
                        out.writeFieldName(name);
                        copy(in.nextToken(), out);
                    }
                    out.writeEndObject();
                    return NODES.objectNode();
                }
                case START_ARRAY -> {
                    RawJson.Edit edit = edits.isEmpty()
                            ? null
                            : edits.get(in.getParsingContext()
                                    .getParent()
                                    .pathAsPointer()
                                    .toString());
                    out.writeStartArray();
                    for (JsonToken item = in.nextToken(); item != JsonToken.END_ARRAY; item = in.nextToken()) {
                        copyItem(item, edit, out);
                    }
                    out.writeEndArray();
                    return NODES.arrayNode();
                }
                default -> {
                    JsonNode scalar = scalar(token);
                    if (scalar instanceof ValueNode value && !scalar.isNull()) {
                        value.serialize(out, null);
                    } else {
                        out.writeNull();
                    }
                    return scalar;
                }
            }
        }

        private void copyItem(JsonToken token, RawJson.@Nullable Edit edit, JsonGenerator out) throws IOException {
            if (edit == null) {
                copy(token, out);
                return;
            }
            JsonNode item = edit.of(value(token));
            if (item != null) {
                JsonParser tree = item.traverse();
                new Tokens(tree, problems).copy(tree.nextToken(), out);
            }
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
            if (fault == null) {
                return NODES.textNode(text);
            }
            problem(fault);
            return NODES.textNode("");
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

    /** Returns the text of a tree. */
    public static Pieces text(JsonNode tree) {
        Pieces text = new Pieces();
        try (JsonGenerator out = generator(text)) {
            write(tree, out);
        } catch (IOException e) {
            throw failed(e);
        }
        return text;
    }

    public static JsonGenerator generator(OutputStream out) throws IOException {
        return FACTORY.createGenerator(out);
    }

    /** Writes a tree. */
    public static void write(JsonNode node, JsonGenerator json) throws IOException {
        switch (node.getNodeType()) {
            case OBJECT -> writeObject(node, json);
            case ARRAY -> writeArray(node, json);
            case STRING -> json.writeString(node.textValue());
            case NUMBER -> writeNumber(node, json);
            case BOOLEAN -> json.writeBoolean(node.booleanValue());
            case NULL -> json.writeNull();
            default -> writeForeign(node, json);
        }
    }

    /** Writes a POJO node whose value is {@link JsonSerializable}; refuses all other nodes. */
    private static void writeForeign(JsonNode node, JsonGenerator json) throws IOException {
        if (node instanceof POJONode pojo && pojo.getPojo() instanceof JsonSerializable) {
            pojo.serialize(json, null);
        } else {
            throw new IllegalArgumentException(node.getNodeType() + " is no JSON");
        }
    }

    private static void writeObject(JsonNode object, JsonGenerator json) throws IOException {
        json.writeStartObject();
        for (Map.Entry<String, JsonNode> field : object.properties()) {
            json.writeFieldName(field.getKey());
            write(field.getValue(), json);
        }
        json.writeEndObject();
    }

    private static void writeArray(JsonNode array, JsonGenerator json) throws IOException {
        json.writeStartArray();
        for (int i = 0; i < array.size(); i++) {
            write(array.get(i), json);
        }
        json.writeEndArray();
    }

    private static void writeNumber(JsonNode number, JsonGenerator json) throws IOException {
        switch (number.numberType()) {
            case INT -> json.writeNumber(number.intValue());
            case LONG -> json.writeNumber(number.longValue());
            case BIG_INTEGER -> json.writeNumber(number.bigIntegerValue());
            case BIG_DECIMAL -> json.writeNumber(number.decimalValue());
            default -> writeReal(number.doubleValue(), json);
        }
    }

    /**
     * Writes a real number in plain digits, so that a timestamp is {@code 1795226327.12} and not {@code 1.79522632712E9},
     * and always with a decimal point, because jansson distinguishes integers and reals.
     */
    private static void writeReal(double value, JsonGenerator json) throws IOException {
        double magnitude = Math.abs(value);
        if (magnitude < LEAST_WITH_EXPONENT || magnitude >= LEAST_BEYOND_INTEGERS) {
            json.writeNumber(value);
            return;
        }
        String plain = BigDecimal.valueOf(value).toPlainString();
        json.writeNumber(plain.indexOf('.') < 0 ? plain + ".0" : plain);
    }
}
