package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.Fields;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import java.util.ArrayList;
import java.util.List;

/**
 * The response to a change that only Muster has: {@code {changed?: false, ended?: [{holder, idset, nodelist}]}}. There is no
 * payload if the state changed and no hold ended besides, as in flux-core's responses to changes.
 *
 * @param changed whether the state changed
 * @param ended holds that the change ended besides
 */
public record ChangeAnswer(boolean changed, List<Ended> ended) {
    public record Ended(String holder, String idset, String nodelist) {}

    /** Returns the answer to a change that led to these entries. */
    public static ChangeAnswer of(List<Entry> entries) {
        List<Ended> ended = new ArrayList<>();
        for (Entry entry : entries) {
            if (entry.event() instanceof HoldChanges.Undrained end) {
                ended.add(new Ended(
                        end.holder(),
                        end.targets().ranks().toString(),
                        end.targets().nodelist()));
            }
        }
        return new ChangeAnswer(!entries.isEmpty(), ended);
    }

    /**
     * Reads a payload; an empty object stands for no payload.
     *
     * @throws io.muster.inventory.problem.InvalidException naming the place, if the payload is something else
     */
    public static ChangeAnswer parse(JsonNode payload) {
        Fields in = Fields.of("change", payload);
        List<Ended> ended = new ArrayList<>();
        if (in.has("ended")) {
            in.list("ended")
                    .forEach(hold ->
                            ended.add(new Ended(hold.text("holder"), hold.text("idset"), hold.text("nodelist"))));
        }
        return new ChangeAnswer(!in.has("changed") || in.flag("changed"), ended);
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (!changed) {
            json.put("changed", false);
        }
        if (!ended.isEmpty()) {
            ArrayNode array = json.putArray("ended");
            ended.forEach(hold -> array.addObject()
                    .put("holder", hold.holder)
                    .put("idset", hold.idset)
                    .put("nodelist", hold.nodelist));
        }
        return json;
    }
}
