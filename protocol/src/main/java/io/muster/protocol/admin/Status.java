package io.muster.protocol.admin;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Hold;
import io.muster.inventory.state.HoldSet;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Liveness;
import io.muster.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answer to {@code resource.status}, in flux-core's form:
 * {@code {R, drain: {idset: {timestamp, reason}}, online, offline, exclude, torpid}}. R has no {@code scheduling}; drained
 * ranks are grouped by reason and whole second, as flux-core's reader does.
 *
 * @param online online ranks and torpid ranks, which are connected too
 */
public record Status(
        ResourceSet resources, Map<Reason, Idset> drain, Idset online, Idset offline, Idset exclude, Idset torpid) {
    private static final JsonFactory JSON = new JsonFactory();

    /** @param reason "" if there is none */
    public record Reason(double timestamp, String reason) {}

    public static Status of(InventoryState state) {
        Liveness live = state.liveness();
        Idset connected = live.online().union(live.torpid());
        return new Status(
                state.resources().withoutScheduling(),
                reasons(state),
                connected,
                state.resources().ranks().subtract(connected),
                state.membership().excluded().union(state.membership().lost()),
                live.torpid());
    }

    /**
     * Returns the reasons of drained ranks. Lost ranks count as excluded, and no rank is both excluded and drained (flux-core
     * hides drained ranks that are excluded).
     */
    private static Map<Reason, Idset> reasons(InventoryState state) {
        Map<Reason, Idset.Builder> found = new LinkedHashMap<>();
        state.holds()
                .groups()
                .forEach((set, ranks) ->
                        found.computeIfAbsent(shown(set), r -> Idset.builder()).addAll(ranks));
        Idset lost = state.membership().lost();
        Map<Reason, Idset> reasons = new LinkedHashMap<>();
        found.forEach((reason, ranks) -> {
            Idset members = ranks.build().subtract(lost);
            if (!members.isEmpty()) {
                reasons.put(reason, members);
            }
        });
        return reasons;
    }

    /** Returns the reason that stands for a host's holds: that of the shared hold, or else that of the oldest hold. */
    private static Reason shown(HoldSet set) {
        Hold shared = set.of(Hold.SHARED);
        Hold hold = shared == null ? set.oldest() : shared;
        String reason = hold.reason();
        return new Reason(Math.rint(hold.since()), reason == null ? "" : reason);
    }

    /** @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else */
    public static Status parse(JsonNode payload) {
        Members in = Members.of("resource.status", payload);
        Map<Reason, Idset> drain = new LinkedHashMap<>();
        Members drained = in.object("drain");
        drained.names().forEach(ranks -> {
            Members group = drained.object(ranks);
            Reason reason = new Reason(group.number("timestamp"), group.textOr("reason", ""));
            drain.merge(reason, drained.idset(ranks, ranks), Idset::union);
        });
        return new Status(
                in.resources("R"),
                drain,
                in.idset("online"),
                in.idset("offline"),
                in.idset("exclude"),
                in.idset("torpid"));
    }

    public Bytes encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(1024);
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bytes.write(0);
        return Bytes.wrap(bytes.toByteArray());
    }

    private void write(JsonGenerator out) throws IOException {
        out.writeStartObject();
        out.writeFieldName("R");
        out.writeRawValue(resources.toString());
        out.writeObjectFieldStart("drain");
        for (Map.Entry<Reason, Idset> entry : drain.entrySet()) {
            out.writeObjectFieldStart(entry.getValue().toString());
            out.writeFieldName("timestamp");
            out.writeNumber(Math.round(entry.getKey().timestamp()) + ".0");
            out.writeStringField("reason", entry.getKey().reason());
            out.writeEndObject();
        }
        out.writeEndObject();
        out.writeStringField("online", online.toString());
        out.writeStringField("offline", offline.toString());
        out.writeStringField("exclude", exclude.toString());
        out.writeStringField("torpid", torpid.toString());
        out.writeEndObject();
    }
}
