package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleFunction;

/** The state that is remembered of a host that R no longer names. If R names the host again, the host returns in this state. */
public record Departure(String host, Departed departed, List<ObjectNode> events) implements Account {
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

    @Override
    public String text(double now, String silence, DoubleFunction<String> time) {
        StringBuilder out = new StringBuilder();
        out.append(HostStatus.heading(host, "departed: not in R; when the host returns, this applies again"));
        departed.absences().forEach(absence -> HostStatus.membership(out, absence, now));
        HoldSet holds = departed.holds();
        if (holds != null) {
            holds.holds().forEach(hold -> HostStatus.hold(out, hold, now, time));
        }
        List<String> edits = new ArrayList<>();
        departed.added().forEach(name -> edits.add("with " + name));
        departed.removed().forEach(name -> edits.add("without " + name));
        if (!edits.isEmpty()) {
            HostStatus.line(out, "properties", String.join(", ", edits));
        }
        departed.notes().forEach((path, note) -> NoteText.lines(out, path, note, now));
        HostStatus.trail(out, events, silence, now, time);
        return out.toString();
    }

    @Override
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("state", HostState.DEPARTED.word()).put("host", host).put("up", false);
        ArrayNode absences = json.putArray("absences");
        departed.absences().forEach(absence -> {
            ObjectNode entry = absences.addObject();
            entry.put("kind", absence.kind().word()).put("reason", absence.reason());
            StateGroup.time(entry, "since", absence.since());
            StateGroup.writeAuthor(entry, absence.by());
        });
        ArrayNode holds = json.putArray("holds");
        if (departed.holds() != null) {
            departed.holds().holds().forEach(hold -> holds.add(StateGroup.toJson(hold)));
        }
        ArrayNode added = json.putArray("properties_added");
        departed.added().forEach(added::add);
        ArrayNode removed = json.putArray("properties_removed");
        departed.removed().forEach(removed::add);
        json.set("notes", NoteText.toJson(departed.notes()));
        ArrayNode last = json.putArray("events");
        events.forEach(last::add);
        return json;
    }
}
