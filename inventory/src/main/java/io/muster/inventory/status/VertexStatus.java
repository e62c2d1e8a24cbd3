package io.muster.inventory.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Places;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one vertex of the resource graph that is no node.
 *
 * @param path the path that the user gave
 * @param pool the vertex in words, such as "gpu"
 * @param place where the vertex is: at one path, in one node at most
 * @param nodes the ranks of the nodes below the vertex; of its own node if it is in one
 */
public record VertexStatus(
        InventoryState state, String path, String pool, Places place, Idset nodes, List<ObjectNode> events)
        implements Account {
    @Override
    public String host() {
        return path;
    }

    private boolean isInNode() {
        return !place.inside().isEmpty();
    }

    private @Nullable Note note() {
        Note[] found = {null};
        place.inside()
                .forEach((below, ranks) -> found[0] = state.notes().below(below).get(ranks.first()));
        place.outside()
                .keySet()
                .forEach(at -> found[0] = state.notes().outside().get(at));
        return found[0];
    }

    /** Returns whether an event changes the note on this vertex. */
    public boolean isAbout(JsonNode event) {
        JsonNode context = event.path("context");
        for (var below : place.inside().entrySet()) {
            String ranks = context.path("vertices").path(below.getKey()).asText("");
            if (Idset.parse(ranks).intersects(below.getValue())) {
                return true;
            }
        }
        for (JsonNode at : context.path("paths")) {
            if (event.path("name").asText().equals("annotate")
                    && place.outside().containsKey(at.asText())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String text(double now, String silence, DoubleFunction<String> time) {
        Note note = note();
        Note.Fact mark = note == null ? null : note.mark();
        StringBuilder out = new StringBuilder();
        out.append(HostStatus.heading(path + " (" + pool + ")", mark == null ? "no mark" : mark.value()));
        if (note == null) {
            HostStatus.line(out, "notes", "none");
        } else {
            NoteText.lines(out, null, note, now);
        }
        Idset up = nodes.intersect(state.view().up());
        if (isInNode()) {
            HostStatus.line(
                    out,
                    "node",
                    state.resources().hostsOf(nodes) + " (rank " + nodes + ") is " + (up.isEmpty() ? "not up" : "up")
                            + ": a state below the node does not take the node down");
        } else if (!nodes.isEmpty()) {
            HostStatus.line(
                    out,
                    "nodes",
                    state.resources().hostsOf(nodes).abridged() + ": " + up.size() + " of " + nodes.size() + " are up");
        }
        HostStatus.trail(out, events, silence, now, time);
        return out.toString();
    }

    @Override
    public ObjectNode toJson() {
        Note note = note();
        ObjectNode json = NoteText.toJson(path, note == null ? Note.NONE : note);
        json.put("pool", pool).put("ranks", nodes.toString());
        json.put("hosts", state.resources().hostsOf(nodes).toString());
        json.put("up", nodes.intersect(state.view().up()).size());
        ArrayNode last = JsonNodeFactory.instance.arrayNode();
        events.forEach(last::add);
        json.set("events", last);
        return json;
    }
}
