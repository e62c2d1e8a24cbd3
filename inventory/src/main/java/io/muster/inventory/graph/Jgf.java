package io.muster.inventory.graph;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.util.TokenBuffer;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.jgf.JgfReader;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.NotJson;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * Reads and writes the JSON Graph Format (JGF), the format of RFC 20's key {@code scheduling}. Both work as a stream, so
 * that a graph of a million vertices is never in memory as JSON.
 *
 * <p>Never write {@code scheduling.writer} beside a complete graph: Fluxion 0.54 refuses to start on the values that RFC 40
 * recommends for this key, and reads a graph without the key as JGF.
 */
public final class Jgf {
    /** Whether the writer includes keys that no RFC demands and whose values a reader could compute. */
    public enum Form {
        /** The keys that RFC 20 and RFC 40 demand, and others if their value cannot be computed. */
        TERSE,
        /** Also {@code uniq_id} and {@code status} with the values that Fluxion assumes for them. */
        FULL
    }

    static final ObjectMapper JSON = JgfReader.JSON;

    private static final ResourceGraph EMPTY = ResourceGraph.builder().build();

    private Jgf() {}

    /**
     * Reads a document whose top-level key is {@code graph}, such as the value of an R's {@code scheduling}.
     *
     * @throws InvalidException with every problem, each naming the vertex or edge and its JSON pointer
     */
    public static ResourceGraph read(String json) {
        try {
            return read(JSON.createParser(json));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static ResourceGraph read(JsonNode json) {
        return read(RawJson.of(json));
    }

    /** Reads a stored document. */
    static ResourceGraph read(RawJson json) {
        Problems problems = new Problems();
        ResourceGraph graph = read(json, problems, 0);
        problems.throwIfAny("graph");
        return graph;
    }

    /**
     * Reads a document from a stream.
     *
     * @throws IOException if reading from {@code in} fails; bad content is an {@link InvalidException}
     */
    public static ResourceGraph read(InputStream in) throws IOException {
        return read(JSON.createParser(in));
    }

    private static ResourceGraph read(JsonParser parser) throws IOException {
        Problems problems = new Problems();
        ResourceGraph graph = read(parser, problems);
        problems.throwIfAny("graph");
        return graph;
    }

    /** Reads a document and adds its faults to {@code problems}. The graph is usable only if there are none. */
    static ResourceGraph read(JsonParser parser, Problems problems) throws IOException {
        JgfGraph contents = new JgfGraph(1);
        try (parser) {
            return JgfReader.read(parser, problems, contents) ? contents.graph.build(problems) : EMPTY;
        } catch (JsonProcessingException e) {
            String line =
                    e.getLocation() == null ? "" : "line " + e.getLocation().getLineNr();
            problems.add(line, "not JSON: " + NotJson.sentence(e));
            return EMPTY;
        }
    }

    static ResourceGraph read(RawJson json, Problems problems, int leastSize) {
        JgfGraph contents = new JgfGraph(leastSize);
        return JgfReader.read(json.stream(), problems, contents) ? contents.graph.build(problems) : EMPTY;
    }

    public static void write(ResourceGraph graph, Form form, OutputStream out) throws IOException {
        try (JsonGenerator json = JSON.createGenerator(out)) {
            write(graph, form, json);
        }
    }

    public static void write(ResourceGraph graph, Form form, JsonGenerator json) throws IOException {
        new JgfWriter(graph, form, graph.all(), json).write();
    }

    /** Writes only {@code vertices} and the vertices above them. */
    public static void write(ResourceGraph graph, Form form, Idset vertices, JsonGenerator json) throws IOException {
        new JgfWriter(graph, form, graph.closure(vertices), json).write();
    }

    public static JsonNode toJson(ResourceGraph graph, Form form) {
        try (TokenBuffer buffer = new TokenBuffer(JSON, false)) {
            write(graph, form, buffer);
            return JSON.readTree(buffer.asParser());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns {@code vertices} and the vertices above them as a document. */
    public static JsonNode toJson(ResourceGraph graph, Form form, Idset vertices) {
        try (TokenBuffer buffer = new TokenBuffer(JSON, false)) {
            write(graph, form, vertices, buffer);
            return JSON.readTree(buffer.asParser());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
