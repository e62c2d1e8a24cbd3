package io.muster.inventory.jgf;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads one document in the JSON Graph Format (JGF), element by element from a stream. All faults are collected;
 * from the first fault on, the consumer receives nothing more.
 */
public final class JgfReader {
    /**
     * Receives the contents of a document. Vertices are numbered from 0 in the order of the document. Each edge comes after all
     * vertices.
     */
    public interface Contents {
        /** Returns the smallest size that a vertex may have. A stored document may have vertices of size 0, which a new one may not. */
        default int leastSize() {
            return 0;
        }

        /** Receives a vertex. */
        void vertex(JgfVertex vertex);

        /**
         * Receives an edge.
         *
         * @param more further keys of the edge; a key that stands beside the metadata has the prefix {@link JgfVertex#OUTSIDE}
         */
        void edge(
                int source,
                int target,
                String subsystem,
                String relationship,
                boolean bothWays,
                Map<String, JsonNode> more);

        /** Receives a key of the graph that JGF does not define, or with the prefix {@link JgfVertex#OUTSIDE} of the document. */
        default void more(String key, JsonNode value) {}
    }

    public static final String CONTAINMENT = "containment";
    public static final String CONTAINS = "contains";
    public static final String IN = "in";

    private static final int MAX_DEPTH = 200;
    private static final Set<String> EDGE_KEYS = Set.of("source", "target", "metadata");
    private static final Set<String> NAMES = Set.of("subsystem", "relationship");

    /**
     * The mapper for graphs. It keeps the digits of numbers in unknown keys, and refuses a key that is given twice because one
     * of its values would be lost. The values of unknown keys are read as trees in the middle of the stream, so
     * text after a tree is not refused.
     */
    public static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .build())
            .enable(
                    DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS,
                    DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .disable(SerializationFeature.FLUSH_AFTER_WRITE_VALUE)
            .build();

    private final Problems problems;
    private final Contents contents;
    private final VertexReader vertexReader;
    private final VertexIds keys = new VertexIds();
    private final List<JsonNode> pending = new ArrayList<>();
    private int[] depths = new int[16];
    private int vertices;
    private int edgeIndex;
    private boolean nodesSeen;
    private boolean edgesSeen;
    private boolean sound = true;
    /** Whether strings may have characters that R must not have. */
    private final boolean foreign;

    private JgfReader(Problems problems, Contents contents, boolean foreign) {
        this.problems = problems;
        this.contents = contents;
        this.foreign = foreign;
        this.vertexReader = new VertexReader(problems, this::problem, contents.leastSize());
    }

    /**
     * Reads a document whose top-level key is {@code graph} from a stream.
     *
     * @return whether the document has no fault
     * @throws com.fasterxml.jackson.core.JsonProcessingException if the stream is not JSON
     */
    public static boolean read(JsonParser parser, Problems problems, Contents contents) throws IOException {
        return read(parser, problems, contents, true);
    }

    private static boolean read(JsonParser parser, Problems problems, Contents contents, boolean foreign)
            throws IOException {
        JgfReader reader = new JgfReader(problems, contents, foreign);
        reader.document(parser);
        return reader.sound;
    }

    /** Reads R's key {@code scheduling}, which is known to be valid JSON, from memory; returns whether the document has no fault. */
    public static boolean read(InputStream utf8, Problems problems, Contents contents) {
        try (JsonParser parser = JSON.createParser(utf8)) {
            return read(parser, problems, contents, false);
        } catch (IOException e) {
            throw new UncheckedIOException("JSON in memory cannot fail to be read", e);
        }
    }

    private void problem(String place, String sentence) {
        problems.add(place, sentence);
        sound = false;
    }

    private void document(JsonParser parser) throws IOException {
        boolean found = false;
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            problem("", "must be a dictionary with the key graph");
            return;
        }
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            if (!key.equals("graph")) {
                contents.more(JgfVertex.OUTSIDE + key, tree(parser, "", key));
            } else if (value != JsonToken.START_OBJECT || found) {
                problem("/graph", found ? "is given twice" : "must be a dictionary");
                return;
            } else {
                found = true;
                graph(parser);
            }
        }
        if (parser.nextToken() != null) {
            problem("", "something follows the document");
        }
        finish(found);
    }

    private void graph(JsonParser parser) throws IOException {
        for (String key = parser.nextFieldName(); key != null; key = parser.nextFieldName()) {
            JsonToken value = parser.nextToken();
            boolean nodes = key.equals("nodes");
            boolean twice = nodes ? nodesSeen : edgesSeen;
            if (!nodes && !key.equals("edges")) {
                contents.more(key, tree(parser, "/graph", key));
            } else if (value != JsonToken.START_ARRAY || twice) {
                problem("/graph/" + key, twice ? "is given twice" : "must be a list");
                parser.skipChildren();
            } else {
                for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
                    element(nodes, i, tree(parser, nodes ? "/graph/nodes" : "/graph/edges", String.valueOf(i)));
                }
            }
            nodesSeen |= nodes;
            edgesSeen |= key.equals("edges");
        }
    }

    /** Reads the value of a key, and checks that R can have the key and the value. */
    private JsonNode tree(JsonParser parser, String parent, String key) throws IOException {
        JsonNode tree = parser.readValueAsTree();
        if (foreign) {
            String place = Pointer.of(parent, key);
            String fault = PortableJson.keyFault(key);
            if (fault != null) {
                problem(place, "the key " + fault);
            }
            PortableJson.check(tree, place, this::problem);
        }
        return tree;
    }

    private void finish(boolean found) {
        if (!found) {
            problem("", "graph is missing");
            return;
        }
        for (int i = 0; i < pending.size(); i++) {
            edge(i, pending.get(i));
        }
        if (!nodesSeen || (vertices == 0 && sound)) {
            problem("/graph/nodes", nodesSeen ? "must list at least one vertex" : "is missing");
        }
        if (!edgesSeen) {
            problem("/graph/edges", "is missing");
        }
    }

    private void element(boolean nodes, int index, JsonNode element) {
        if (!element.isObject()) {
            problem((nodes ? "/graph/nodes/" : "/graph/edges/") + index, "must be a dictionary");
        } else if (nodes) {
            vertex(index, element);
        } else if (nodesSeen) {
            edge(index, element);
        } else {
            pending.add(element);
        }
    }

    private void vertex(int index, JsonNode element) {
        JgfVertex vertex = vertexReader.read(index, element);
        if (!keys.add(vertex.key(), vertices)) {
            vertexReader.fault("the id is already taken by another vertex");
            return;
        }
        depths = vertices < depths.length ? depths : Arrays.copyOf(depths, depths.length * 2);
        depths[vertices++] = (int) vertex.path().chars().filter(c -> c == '/').count();
        if (sound) {
            contents.vertex(vertex);
        }
    }

    private void edge(int index, JsonNode edge) {
        edgeIndex = index;
        int source = end("/source", edge.path("source"));
        int target = end("/target", edge.path("target"));
        JsonNode metadata = edge.path("metadata");
        if (!metadata.isMissingNode() && !metadata.isObject()) {
            edgeProblem("/metadata", "must be a dictionary");
        }
        // An older form of JGF has the subsystem and the relationship in one entry: {"name": {"containment":
        // "contains"}}.
        JsonNode old = metadata.path("name");
        boolean oldForm = old.isObject() && old.size() == 1 && !metadata.has("subsystem");
        String subsystem = oldForm ? old.fieldNames().next() : text(metadata, "subsystem", CONTAINMENT);
        String relationship = oldForm ? old.path(subsystem).asText(CONTAINS) : text(metadata, "relationship", CONTAINS);
        boolean bothWays =
                edge.path("directed").isBoolean() && !edge.get("directed").booleanValue();
        Map<String, JsonNode> more = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> e : metadata.properties()) {
            if (!(oldForm && e.getKey().equals("name")) && !NAMES.contains(e.getKey())) {
                more.put(e.getKey(), e.getValue());
            }
        }
        for (Map.Entry<String, JsonNode> e : edge.properties()) {
            if (!(bothWays && e.getKey().equals("directed")) && !EDGE_KEYS.contains(e.getKey())) {
                more.put(JgfVertex.OUTSIDE + e.getKey(), e.getValue());
            }
        }
        if (sound && source >= 0 && target >= 0) {
            boolean up =
                    subsystem.equals(CONTAINMENT) && relationship.equalsIgnoreCase(CONTAINS) && isUp(source, target);
            contents.edge(source, target, subsystem, up ? IN : relationship, bothWays, more);
        }
    }

    /**
     * Returns whether an edge leads up, judged by the paths of its ends. Fluxion accepts such an edge, because it only repeats
     * the edge that leads down.
     */
    private boolean isUp(int source, int target) {
        return depths[target] > 0 && depths[source] > depths[target];
    }

    /** Returns the number of the vertex at an end of an edge, or -1 after a problem was added. */
    private int end(String key, JsonNode end) {
        if (end.isIntegralNumber()) {
            problems.warn("/graph/edges/" + edgeIndex + key, "must be a string; the number is read as a string");
        } else if (!end.isTextual()) {
            edgeProblem(key, end.isMissingNode() ? "is missing" : "must be a string");
        }
        int number = keys.find(end.asText(""));
        // Missing vertices are reported once, and not again for each end of each edge.
        if (number < 0 && !end.asText("").isEmpty() && vertices > 0) {
            edgeProblem(key, "there is no vertex \"" + end.asText() + "\"");
        }
        return number;
    }

    private void edgeProblem(String key, String sentence) {
        problem("/graph/edges/" + edgeIndex + key, sentence);
    }

    private String text(JsonNode metadata, String key, String unset) {
        JsonNode value = metadata.path(key);
        if (!value.isMissingNode() && (!value.isTextual() || value.textValue().isEmpty())) {
            edgeProblem("/metadata/" + key, "must be a non-empty string");
        }
        return value.isTextual() ? value.textValue() : unset;
    }
}
