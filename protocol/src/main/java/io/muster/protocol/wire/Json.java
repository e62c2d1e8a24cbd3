package io.muster.protocol.wire;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.StrictJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Reads and writes JSON payloads: an object and a terminating NUL (RFC 3 "Payload Conventions"). The reader refuses text
 * that two programs could understand differently (a duplicate key, text after the object, encodings other than UTF-8,
 * numbers too large for a double), text that libjansson refuses (NUL in a string, integers of more than 64 bits), and
 * nesting deeper than any payload has.
 *
 * <p>This class builds the tree itself, without an ObjectMapper, because loading an ObjectMapper takes a command-line tool
 * longer than everything else that the tool does on the wire.
 */
public final class Json {
    /** The version of the documents that are answers. Keys are only ever added to a version. */
    public static final int SCHEMA_VERSION = 1;

    private static final int MAX_DEPTH = 256;
    private static final int LONGEST_STRING = Integer.MAX_VALUE;
    private static final int ENCODING_PROBE = 4;

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
    private static final JsonFactory FACTORY = factory();

    /** The payload {@code {}}. */
    public static final Bytes EMPTY_OBJECT = Bytes.wrap(new byte[] {'{', '}', 0});

    private Json() {}

    private static JsonFactory factory() {
        StreamReadConstraints limits = StreamReadConstraints.builder()
                .maxNestingDepth(MAX_DEPTH)
                .maxStringLength(LONGEST_STRING) // the limit on frames limits strings too
                .build();
        return new JsonFactoryBuilder()
                .streamReadConstraints(limits)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                .disable(StreamWriteFeature.AUTO_CLOSE_CONTENT)
                .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                .build();
    }

    /** Returns the object of a JSON payload. */
    public static ObjectNode parse(Bytes payload) throws ProtocolException {
        if (!payload.endsWithNul()) {
            throw new ProtocolException("JSON payload of " + payload.length() + " bytes does not end in a NUL");
        }
        Bytes text = payload.first(payload.length() - 1);
        checkEncoding(text);
        try (JsonParser in = text.inOneArray(FACTORY::createParser)) {
            return readDocument(in);
        } catch (JsonProcessingException e) {
            JsonLocation place = e.getLocation();
            throw new ProtocolException("payload is not JSON: " + e.getOriginalMessage()
                    + (place == null ? "" : " at byte " + place.getByteOffset()));
        } catch (ProtocolException e) {
            throw e;
        } catch (IOException e) {
            throw new ProtocolException("payload is not UTF-8: " + e.getMessage());
        }
    }

    /** Refuses UTF-16 and UTF-32, which the parser would accept. They have a NUL or a byte order mark among the first bytes. */
    private static void checkEncoding(Bytes text) throws ProtocolException {
        for (int i = 0; i < ENCODING_PROBE && i < text.length(); i++) {
            if (text.at(i) <= 0) {
                throw new ProtocolException("JSON payload does not start as UTF-8 JSON does");
            }
            if (text.at(i) == '{') {
                return;
            }
        }
    }

    private static ObjectNode readDocument(JsonParser in) throws IOException {
        JsonToken first = in.nextToken();
        if (first != JsonToken.START_OBJECT) {
            throw new ProtocolException("JSON payload is not an object");
        }
        ObjectNode object = readObject(in);
        if (in.nextToken() != null) {
            throw new ProtocolException("JSON payload goes on after its object");
        }
        return object;
    }

    /** Reads the members of an object. The parser's limit on nesting bounds the recursion. */
    private static ObjectNode readObject(JsonParser in) throws IOException {
        ObjectNode object = NODES.objectNode();
        for (String name = in.nextFieldName(); name != null; name = in.nextFieldName()) {
            if (object.replace(whole(name), readValue(in, in.nextToken())) != null) {
                throw new ProtocolException("JSON payload has key \"" + name + "\" twice in one object");
            }
        }
        return object;
    }

    private static ArrayNode readArray(JsonParser in) throws IOException {
        ArrayNode array = NODES.arrayNode();
        for (JsonToken token = in.nextToken(); token != JsonToken.END_ARRAY; token = in.nextToken()) {
            array.add(readValue(in, token));
        }
        return array;
    }

    private static JsonNode readValue(JsonParser in, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> readObject(in);
            case START_ARRAY -> readArray(in);
            case VALUE_STRING -> NODES.textNode(whole(in.getText()));
            case VALUE_NUMBER_INT -> readInteger(in);
            case VALUE_NUMBER_FLOAT -> readReal(in);
            case VALUE_TRUE -> NODES.booleanNode(true);
            case VALUE_FALSE -> NODES.booleanNode(false);
            default -> NODES.nullNode();
        };
    }

    /**
     * Refuses strings that other programs cannot take: a single half of a surrogate pair, which JSON can write as an escape
     * but UTF-8 cannot represent, and a NUL, which ends a string in C.
     */
    private static String whole(String text) throws ProtocolException {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) == 0) {
                throw new ProtocolException("JSON payload has a string with a NUL in it");
            }
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isSurrogatePair(text.charAt(i), i + 1 < text.length() ? text.charAt(i + 1) : 0)) {
                    throw new ProtocolException("JSON payload has half of a surrogate pair");
                }
                i++;
            }
        }
        return text;
    }

    private static JsonNode readInteger(JsonParser in) throws IOException {
        return switch (in.getNumberType()) {
            case INT -> NODES.numberNode(in.getIntValue());
            case LONG -> NODES.numberNode(in.getLongValue());
            default -> throw new ProtocolException("JSON payload has an integer of more than 64 bits");
        };
    }

    private static JsonNode readReal(JsonParser in) throws IOException {
        double value = in.getDoubleValue();
        if (Double.isInfinite(value)) {
            throw new ProtocolException("JSON payload has a number that is too large");
        }
        return NODES.numberNode(value);
    }

    /** Returns the object of a payload that this program has encoded itself. */
    public static ObjectNode own(Bytes payload) {
        try {
            return parse(payload);
        } catch (ProtocolException bug) {
            throw new IllegalStateException(bug);
        }
    }

    /** Returns an object as a payload. */
    public static Bytes encode(ObjectNode object) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(object, out);
        return Bytes.wrap(out.toByteArray());
    }

    /** Writes an object as a payload, with the NUL. */
    public static void write(ObjectNode object, OutputStream out) {
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            StrictJson.write(object, json);
            json.flush();
            out.write(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // half of a surrogate pair, which this class never reads from a payload
        }
    }
}
