package io.muster.inventory.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problem;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A JSON or YAML document as a tree. If the text was YAML, the document contains the line of every value. */
final class RequestTree {
    /** The limits bound what a hostile document can cost. No request of a person or a tool comes near them. */
    static final int MAX_CHARS = 16 << 20;

    static final int MAX_DEPTH = 2 * Resource.MAX_DEPTH + 20;

    /**
     * A mapper that, unlike {@link io.muster.inventory.json.StrictJson}, reports the line and column of a fault, because people
     * write requests by hand. The mapper refuses deeper nesting than any request has.
     */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final JsonNode root;
    private final Map<String, Integer> lines;

    private RequestTree(JsonNode root, Map<String, Integer> lines) {
        this.root = root;
        this.lines = lines;
    }

    static RequestTree of(JsonNode root) {
        return new RequestTree(root, Map.of());
    }

    /**
     * Reads JSON or YAML.
     *
     * @throws InvalidException if the text is neither JSON nor YAML, or exceeds a limit
     */
    static RequestTree parse(String subject, String text) {
        if (text.length() > MAX_CHARS) {
            throw refused(subject, "", "longer than " + MAX_CHARS + " characters");
        }
        String trimmed = text.strip();
        if (!trimmed.startsWith("{") && !trimmed.startsWith("[")) {
            return YamlReader.read(subject, text);
        }
        try {
            return of(JSON.readTree(text));
        } catch (JsonProcessingException e) {
            return flowStyle(subject, text, e);
        }
    }

    /**
     * Reads text that begins like JSON but is not JSON as YAML in flow style. If the text is not YAML either, its author
     * probably meant JSON, and the error reports the fault in the JSON.
     */
    private static RequestTree flowStyle(String subject, String text, JsonProcessingException json) {
        try {
            return YamlReader.read(subject, text);
        } catch (InvalidException yaml) {
            JsonLocation at = json.getLocation();
            String place = at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
            throw refused(subject, place, "not JSON: " + NotJson.sentence(json));
        }
    }

    static RequestTree of(JsonNode root, Map<String, Integer> lines) {
        return new RequestTree(root, lines);
    }

    static InvalidException refused(String subject, String place, String sentence) {
        return new InvalidException(subject, List.of(new Problem(place, sentence)), 0);
    }

    JsonNode root() {
        return root;
    }

    /** Returns the pointer of a value. In YAML, the line of the value or of the nearest value around it is added. */
    String place(String pointer) {
        for (String p = pointer; !lines.isEmpty(); p = p.substring(0, p.lastIndexOf('/'))) {
            Integer line = lines.get(p);
            if (line != null) {
                return pointer.isEmpty() ? "line " + line : pointer + " (line " + line + ")";
            }
            if (p.isEmpty()) {
                break;
            }
        }
        return pointer;
    }

    /** Returns the JSON type of a value with an article, such as "a list", for use in a sentence. */
    static String kind(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case OBJECT -> "a dictionary";
            case STRING -> node.textValue().isEmpty() ? "an empty string" : "a string";
            case NUMBER, BOOLEAN -> node.toString();
            case NULL -> "null";
            case BINARY, MISSING, POJO -> node.getNodeType().name().toLowerCase(Locale.ROOT);
        };
    }
}
