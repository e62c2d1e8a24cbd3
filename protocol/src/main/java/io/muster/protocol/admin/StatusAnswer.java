package io.muster.protocol.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.idset.IdsetWriter;
import io.muster.inventory.json.Fields;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The response to {@code resource.status}, in flux-core's form: {@code {R, drain: {idset: {timestamp, reason}}, online,
 * offline, exclude, torpid}}. R has no {@code scheduling}; drained ranks are grouped by reason and whole second, as
 * flux-core's reader does.
 *
 * @param online online ranks and torpid ranks, which are connected too
 */
public record StatusAnswer(
        ResourceSet resources, Map<Reason, Idset> drain, Idset online, Idset offline, Idset exclude, Idset torpid) {
    private static final JsonFactory JSON = new JsonFactory();

    /**
     * The approximate length of a group in the payload without its ranks and its reason: the timestamp and the names of the
     * keys.
     */
    private static final int AROUND_A_REASON = 50;

    /**
     * The reason and time for which ranks are drained.
     *
     * @param reason "" if there is none
     */
    public record Reason(double timestamp, String reason) {}

    /**
     * Reads a payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static StatusAnswer parse(JsonNode payload) {
        Fields in = Fields.of("resource.status", payload);
        Map<Reason, Idset> drain = new LinkedHashMap<>();
        Fields drained = in.object("drain");
        drained.names().forEach(ranks -> {
            Fields group = drained.object(ranks);
            Reason reason = new Reason(group.number("timestamp"), group.textOr("reason", ""));
            drain.merge(reason, drained.parseKey(ranks, Idset::parse), Idset::union);
        });
        return new StatusAnswer(
                in.tree("R", ResourceSet::parse),
                drain,
                in.parse("online", Idset::parse),
                in.parse("offline", Idset::parse),
                in.parse("exclude", Idset::parse),
                in.parse("torpid", Idset::parse));
    }

    /**
     * Encodes the payload. The cost depends on the number of intervals of equal holds and on the bytes of the payload, not
     * on how the ranks are scattered.
     */
    public static Bytes encode(InventoryState state) {
        Map<String, Reason> drain = new LinkedHashMap<>();
        int length = 1024;
        for (Map.Entry<Reason, IdsetWriter> group : reasons(state).entrySet()) {
            String ranks = group.getValue().text();
            drain.put(ranks, group.getKey());
            length += ranks.length() + group.getKey().reason().length() + AROUND_A_REASON;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(length);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            write(state, drain, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.write(0);
        return Bytes.wrap(bytes.toByteArray());
    }

    private static void write(InventoryState state, Map<String, Reason> drain, JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeFieldName("R");
        out.writeRawValue(state.resources().withoutScheduling().toString());
        out.writeObjectFieldStart("drain");
        for (Map.Entry<String, Reason> group : drain.entrySet()) {
            out.writeObjectFieldStart(group.getKey());
            out.writeFieldName("timestamp");
            out.writeNumber(Math.round(group.getValue().timestamp()) + ".0");
            out.writeStringField("reason", group.getValue().reason());
            out.writeEndObject();
        }
        out.writeEndObject();
        Liveness live = state.liveness();
        Idset connected = live.connected();
        out.writeStringField("online", connected.toString());
        out.writeStringField(
                "offline", state.resources().ranks().subtract(connected).toString());
        Idset excluded = state.membership().excluded().union(state.membership().lost());
        out.writeStringField("exclude", excluded.toString());
        out.writeStringField("torpid", live.torpid().toString());
        out.writeEndObject();
    }

    /**
     * Returns the drained ranks by the reason that is shown for them, lowest rank first. Lost ranks count as excluded, and a
     * rank that is excluded does not count as drained, because flux-core hides this. Ranks come in ascending order, so that
     * the text of each group is written at once.
     */
    private static Map<Reason, IdsetWriter> reasons(InventoryState state) {
        Map<Reason, IdsetWriter> reasons = new LinkedHashMap<>();
        state.holds()
                .forEachIn(
                        state.members(),
                        (first, last, set) -> reasons.computeIfAbsent(shown(set), r -> new IdsetWriter())
                                .accept(first, last));
        return reasons;
    }

    /** Returns the reason that is shown for a host, with the ticket before it: that of the shared hold or, without one, that of the oldest hold. */
    private static Reason shown(HoldSet set) {
        Hold shared = set.of(Hold.SHARED);
        Hold hold = shared == null ? set.oldest() : shared;
        return new Reason(Math.rint(hold.since()), hold.text());
    }
}
