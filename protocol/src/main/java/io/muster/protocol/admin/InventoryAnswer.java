package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.state.Epoch;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Snapshot;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.List;

/**
 * The answer to {@code resource.inventory}, which flux-core does not have: the whole state, with R without {@code scheduling}.
 * The payload is {@code {schema_version, seq, time, fault, schedulers, up, R, state}}; {@code up} is for simple readers.
 *
 * @param time the server's clock, seconds since the epoch
 * @param fault why the server refuses changes, "" if it accepts them
 */
public record InventoryAnswer(long seq, double time, String fault, List<Scheduler> schedulers, InventoryState state) {
    public static final String TOPIC = "resource.inventory";

    private static final int SCHEMA_VERSION = 1;

    /** @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else */
    public static InventoryAnswer parse(JsonNode payload) {
        Members in = Members.of(TOPIC, payload);
        ObjectNode state = in.object("state").json();
        state.set("R", payload.path("R"));
        List<Scheduler> schedulers = new ArrayList<>();
        for (Members scheduler : in.list("schedulers")) {
            schedulers.add(Scheduler.parse(scheduler));
        }
        return new InventoryAnswer(
                (long) in.number("seq"),
                in.number("time"),
                payload.path("fault").asText(""),
                schedulers,
                Snapshot.parse(state));
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.put("schema_version", SCHEMA_VERSION).put("seq", seq);
        payload.set("time", Epoch.number(time));
        payload.put("fault", fault);
        ArrayNode holders = payload.putArray("schedulers");
        schedulers.forEach(scheduler -> holders.add(scheduler.toJson()));
        payload.put("up", state.view().up().toString());
        payload.set("R", state.resources().withoutScheduling().toJson());
        payload.set("state", Snapshot.toJson(state));
        return Json.encode(payload);
    }
}
