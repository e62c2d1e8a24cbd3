package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;

/** The state that is remembered of a host that R no longer names. If R names the host again, the host returns in this state. */
public record Departure(String host, Departed departed) {
    /**
     * Returns the departed hosts that have a hold in force. A hold that expired while its host was away has no effect, and
     * is lifted when the host returns.
     */
    public static Hostlist drained(InventoryState state, double now) {
        List<String> held = new ArrayList<>();
        state.departed().forEach((host, departed) -> {
            if (departed.isHeldAt(now)) {
                held.add(host);
            }
        });
        return Hostlist.of(held).sort();
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("state", HostState.DEPARTED.word()).put("host", host).put("up", false);
        ArrayNode absences = json.putArray("absences");
        departed.absences().forEach(absence -> absences.add(StateGroup.toJson(absence)));
        json.set("holds", Plans.of(departed.holds()));
        json.set("planned", Plans.of(departed.plans()));
        ArrayNode added = json.putArray("properties_added");
        departed.added().forEach(added::add);
        ArrayNode removed = json.putArray("properties_removed");
        departed.removed().forEach(removed::add);
        json.set("notes", NoteText.toJson(departed.notes()));
        return json;
    }
}
