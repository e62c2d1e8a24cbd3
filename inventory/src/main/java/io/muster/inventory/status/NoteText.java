package io.muster.inventory.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Note.Fact;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.InventoryState;
import java.util.List;
import java.util.Map;

/** Formats the notes on vertices as JSON. */
public final class NoteText {
    private NoteText() {}

    /** Returns the notes on a host and its parts, with what schedulers make of the marks. */
    static ArrayNode of(InventoryState state, int rank, List<JobUsage> usage) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        String host = state.resources().hostOf(rank);
        state.notes()
                .on(rank)
                .forEach((path, note) -> array.add(
                        path.isEmpty()
                                ? toJson(path, note)
                                : toJson(path, note, usage, Idset.of(rank), host + "/" + path)));
        return array;
    }

    static ArrayNode toJson(Map<String, Note> notes) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        notes.forEach((path, note) -> array.add(toJson(path, note)));
        return array;
    }

    /**
     * Returns a note, with what schedulers make of the mark.
     *
     * @param ranks the rank that the vertex belongs to, or the ranks below it
     * @param place the place of the vertex, as {@link Marks#paths} names places
     */
    static ObjectNode toJson(String path, Note note, List<JobUsage> usage, Idset ranks, String place) {
        ObjectNode json = toJson(path, note);
        Fact mark = note.mark();
        String told = mark == null ? null : SchedulerMarks.of(usage, ranks, place, mark);
        if (told != null) {
            json.withObject("mark").put("scheduler", told);
        }
        return json;
    }

    /** Returns all notes, those on the vertices of nodes with the ranks and hosts of these nodes. */
    public static ArrayNode all(InventoryState state) {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        for (Map.Entry<String, IdMap<Note>> path : state.notes().inside().entrySet()) {
            for (Map.Entry<Note, Idset> group : path.getValue().groups().entrySet()) {
                array.add(toJson(path.getKey(), group.getKey())
                        .put("ranks", group.getValue().toString())
                        .put(
                                "hosts",
                                state.resources().hostsOf(group.getValue()).toString()));
            }
        }
        state.notes().outside().forEach((path, note) -> array.add(toJson(path, note)));
        return array;
    }

    static ObjectNode toJson(String path, Note note) {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("path", path);
        Fact mark = note.mark();
        if (mark != null) {
            write(json.putObject("mark").put("state", mark.value()).put("reason", mark.reason()), mark);
        }
        ArrayNode tags = json.putArray("tags");
        note.tags().forEach((key, tag) -> write(tags.addObject().put("key", key).put("value", tag.value()), tag));
        ArrayNode data = json.putArray("data");
        note.data().forEach((key, object) -> {
            ObjectNode entry = data.addObject().put("key", key);
            entry.set("value", Note.tree(object.value()));
            write(entry, object);
        });
        return json;
    }

    private static void write(ObjectNode json, Fact fact) {
        StateGroup.time(json, "since", fact.since());
        StateGroup.writeAuthor(json, fact.by());
    }
}
