package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The response to a change with {@code dry-run}, a key that flux-core does not have: {@code {events, updates: [{user, pid,
 * update}], hosts?, nodes, confirm, unchanged?, available?, still-out?}}.
 *
 * @param events events that would be written to the journal
 * @param hosts hostlist of the targets; null if the change has none
 * @param nodes the number of hosts in R
 * @param confirm whether a person should be asked before the change, because it has many targets or is for good
 * @param rest what would become of the targets
 */
public record DryRunAnswer(
        List<ObjectNode> events,
        List<Update> updates,
        @Nullable String hosts,
        int nodes,
        boolean confirm,
        ChangeAnswer.Rest rest) {
    /**
     * The update that a scheduler would be sent.
     *
     * @param payload the exact payload, or null if the scheduler would be sent nothing
     */
    public record Update(String user, int pid, @Nullable ObjectNode payload) {}

    /**
     * Reads a payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static DryRunAnswer parse(JsonNode payload) {
        Fields in = Fields.of("dry-run", payload);
        List<ObjectNode> events = new ArrayList<>();
        in.list("events").forEach(event -> events.add(event.json()));
        List<Update> updates = new ArrayList<>();
        for (Fields update : in.list("updates")) {
            boolean hasUpdate = !update.json().path("update").isNull();
            updates.add(new Update(
                    update.text("user"),
                    (int) update.number("pid"),
                    hasUpdate ? update.object("update").json() : null));
        }
        return new DryRunAnswer(
                events,
                updates,
                in.optional("hosts"),
                (int) in.integer("nodes", 0, Integer.MAX_VALUE),
                in.flag("confirm"),
                ChangeAnswer.Rest.read(in));
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        payload.putArray("events").addAll(events);
        ArrayNode array = payload.putArray("updates");
        for (Update update : updates) {
            ObjectNode object = array.addObject().put("user", update.user()).put("pid", update.pid());
            object.set("update", update.payload());
        }
        if (hosts != null) {
            payload.put("hosts", hosts);
        }
        payload.put("nodes", nodes).put("confirm", confirm);
        rest.writeTo(payload);
        return payload;
    }
}
