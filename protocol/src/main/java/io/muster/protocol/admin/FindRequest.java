package io.muster.protocol.admin;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Accumulator;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pieces;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.TargetExpression;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The request {@code resource.find}, which only Muster has: {@code {expr, subsystem?, from?, prune?, order?, best?, by?,
 * output?}}. All keys except output make up a {@link Search}. */
public record FindRequest(Search search, Output output) {
    public static final String TOPIC = "resource.find";

    /** The highest number of vertices in a response with paths or with a graph. */
    public static final int MOST_LISTED = 100_000;

    /** The highest number of bytes of a response: a vertex may have kilobytes of tags, and the daemon's heap may be small. */
    public static final int LONGEST = 32 << 20;

    private static final String SUBSYSTEM = "subsystem";
    private static final String ORDER = "order";
    private static final String BEST = "best";
    private static final String OUTPUT = "output";

    /** The content of the response in addition to the number of vertices and their hosts. */
    public enum Output {
        HOSTS,
        PATHS,
        JGF;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Reads a payload.
     *
     * @throws RpcException EPROTO if a key is of the wrong type
     * @throws MalformedException if an expression is malformed
     */
    public static FindRequest parse(Fields in) {
        int best = in.has(BEST) ? (int) in.integer(BEST, 1, MOST_LISTED) : 0;
        if (in.has("by") != (best > 0)) {
            throw in.fault("by", "must be given with /best, and only with it");
        }
        Search search = new Search(
                Expression.parse(in.text("expr")),
                in.optional(SUBSYSTEM),
                in.has("from") ? Expression.parse(in.text("from")) : null,
                in.has("prune") ? Expression.parse(in.text("prune")) : null,
                in.has(ORDER) ? in.choice(ORDER, Search.Order.class, Search.Order::word) : null,
                best,
                in.textOr("by", ""));
        return new FindRequest(search, in.has(OUTPUT) ? in.choice(OUTPUT, Output.class, Output::word) : Output.HOSTS);
    }

    /**
     * Returns the request that finds the hosts or the vertices of a part of targets: {@code @{EXPRESSION}} or a path.
     *
     * @throws MalformedException if the part or its expression is malformed
     */
    public static FindRequest ofTarget(String part, Output output) {
        return new FindRequest(Search.all(Expression.parse(TargetExpression.expression(part))), output);
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.put("expr", search.expression().toString());
        putIfGiven(payload, SUBSYSTEM, search.subsystem());
        putIfGiven(payload, "from", search.from());
        putIfGiven(payload, "prune", search.prune());
        putIfGiven(
                payload, ORDER, search.order() == null ? null : search.order().word());
        if (search.best() > 0) {
            payload.put(BEST, search.best()).put("by", search.by());
        }
        return payload.put(OUTPUT, output.word());
    }

    private static void putIfGiven(ObjectNode payload, String key, @Nullable Object value) {
        if (value != null) {
            payload.put(key, value.toString());
        }
    }

    /**
     * Returns the response: {@code {schema_version, count, ranks, hosts, seq}}. The output {@code paths} adds the key {@code paths} and, if the
     * request has {@code best}, {@code scores}; the output {@code jgf} adds the key {@code jgf}.
     *
     * @param seq sequence number of the last change that the response takes into account
     * @throws RpcException EOVERFLOW if the response would be too long
     * @throws MalformedException if the request names something that the graph does not have
     */
    public Bytes answer(ResourceGraph graph, ResourceSet r, Search.Found found, long seq) {
        int count = found.vertices().size();
        if (output != Output.HOSTS && count > MOST_LISTED) {
            throw tooLong(count + " vertices are found, and a response lists " + MOST_LISTED + " at most");
        }
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("schema_version", Json.SCHEMA_VERSION).put("count", count);
        json.put("ranks", found.ranks().toString());
        json.put("hosts", r.hostsOf(found.ranks()).toString());
        if (output == Output.PATHS) {
            json.putPOJO("paths", new Streamed(out -> paths(graph, found, out)));
        }
        if (output == Output.PATHS && search.best() > 0) {
            ArrayNode scores = json.putArray("scores");
            found.best().stream().mapToDouble(Accumulator.Match::score).forEach(scores::add);
        }
        if (output == Output.JGF) {
            json.putPOJO("jgf", new Streamed(out -> Jgf.write(graph, Jgf.Form.FULL, found.vertices(), out)));
        }
        Bounded out = new Bounded(new Pieces());
        Json.write(json.put("seq", seq), out);
        return Bytes.of(out.pieces.all());
    }

    private void paths(ResourceGraph graph, Search.Found found, JsonGenerator out) throws IOException {
        out.writeStartArray();
        for (int vertex : search.ordered(graph, found)) {
            out.writeString(search.path(graph, vertex));
        }
        out.writeEndArray();
    }

    private static RpcException tooLong(String why) {
        return new RpcException(Errno.EOVERFLOW, why + ": narrow the expression, or ask for hosts or a count");
    }

    /** Writes one value. */
    private interface Writing {
        void write(JsonGenerator out) throws IOException;
    }

    /** A value of a JSON tree that is written element by element and is never in memory as a tree. */
    private static final class Streamed extends JsonSerializable.Base {
        private final Writing writing;

        Streamed(Writing writing) {
            this.writing = writing;
        }

        @Override
        public void serialize(JsonGenerator out, @Nullable SerializerProvider unused) throws IOException {
            writing.write(out);
        }

        @Override
        public void serializeWithType(JsonGenerator out, SerializerProvider provider, TypeSerializer unused)
                throws IOException {
            writing.write(out);
        }
    }

    /** Collects a response, and refuses the request as soon as the response becomes too long. */
    private static final class Bounded extends FilterOutputStream {
        private final Pieces pieces;

        Bounded(Pieces pieces) {
            super(pieces);
            this.pieces = pieces;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int count) {
            if (pieces.size() + count > LONGEST) {
                throw tooLong("the response would be longer than " + (LONGEST >> 20) + " MiB");
            }
            pieces.write(bytes, from, count);
        }
    }
}
