package io.muster.inventory.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Places;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about one vertex of the resource graph that is no node.
 *
 * @param path the path that the user gave
 * @param pool the vertex in words, such as "gpu"
 * @param place where the vertex is: at one path, in one node at most
 * @param nodes the ranks of the nodes below the vertex; of its own node if it is in one
 */
public record VertexStatus(InventoryState state, String path, String pool, Places place, Idset nodes) {
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

    /** Returns the place, as {@link Marks#paths} names it. */
    private String placed() {
        return isInNode()
                ? state.resources().hostOf(nodes.first()) + "/"
                        + place.inside().keySet().iterator().next()
                : String.join("", place.outside().keySet());
    }

    /** @param usage the reports of reporters about jobs and marks */
    public ObjectNode toJson(List<JobUsage> usage) {
        Note note = note();
        ObjectNode json = NoteText.toJson(path, note == null ? Note.NONE : note, usage, nodes, placed());
        json.put("pool", pool).put("ranks", nodes.toString());
        json.put("hosts", state.resources().hostsOf(nodes).toString());
        json.put("up", nodes.intersect(state.view().up()).size());
        json.put("in_node", isInNode());
        return json;
    }
}
