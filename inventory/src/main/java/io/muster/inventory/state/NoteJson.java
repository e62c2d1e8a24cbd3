package io.muster.inventory.state;

import com.fasterxml.jackson.core.JsonGenerator;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Note.Fact;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.IdMap;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The notes as JSON: {@code [{"path", "idset"?, "nodelist"?, "tags"?: {KEY: {"value"?, "since", "by"}}, "mark"?: {"state",
 * "reason"?, "since", "by"}, "data"?: {KEY: {"value": OBJECT, "since", "by"}}}]}. A note with an idset is on a vertex below the
 * nodes of these ranks, or on the nodes themselves if its path is "".
 */
final class NoteJson {
    private static final Set<String> NOTE = Set.of("path", "idset", "nodelist", "tags", "mark", "data");

    private NoteJson() {}

    /** @param all the ranks of R */
    static Notes read(Fields in, Idset all) {
        Notes notes = Notes.NONE;
        for (Fields each : in.listOrNone("notes")) {
            String path = each.text("path");
            notes = each.has("idset")
                    ? notes.with(path, notes.below(path).put(StateJson.ranks(each, "idset", all), note(each)))
                    : notes.withOutside(path, note(each));
        }
        return notes;
    }

    static SortedMap<String, Note> readDeparted(Fields in) {
        SortedMap<String, Note> notes = new TreeMap<>();
        for (Fields each : in.listOrNone("notes")) {
            notes.put(each.text("path"), note(each));
        }
        return notes;
    }

    private static Note note(Fields in) {
        return new Note(
                facts(in, "tags"),
                in.has("mark") ? fact(in.object("mark"), in.object("mark").text("state")) : null,
                facts(in, "data"),
                Extras.besides(in, NOTE));
    }

    private static SortedMap<String, Fact> facts(Fields in, String key) {
        SortedMap<String, Fact> facts = new TreeMap<>();
        for (String name : in.has(key) ? in.object(key).names() : List.<String>of()) {
            Fields fact = in.object(key).object(name);
            boolean isData = fact.json().path("value").isObject();
            facts.put(name, fact(fact, isData ? Note.text(fact, "value") : fact.textOr("value", "")));
        }
        return facts;
    }

    private static Fact fact(Fields in, String value) {
        return new Fact(value, in.textOr("reason", ""), Epoch.seconds(in, "since"), Principal.readBy(in));
    }

    static void write(JsonGenerator out, InventoryState state) throws IOException {
        if (state.notes().isEmpty()) {
            return;
        }
        out.writeArrayFieldStart("notes");
        for (Map.Entry<String, IdMap<Note>> path : state.notes().inside().entrySet()) {
            for (Map.Entry<Note, Idset> group : path.getValue().groups().entrySet()) {
                out.writeStartObject();
                out.writeStringField("path", path.getKey());
                Event.Targets.of(state, group.getValue()).write(out);
                writeMembers(out, group.getKey());
                out.writeEndObject();
            }
        }
        writeNotes(out, state.notes().outside());
        out.writeEndArray();
    }

    static void writeDeparted(JsonGenerator out, Map<String, Note> notes) throws IOException {
        if (!notes.isEmpty()) {
            out.writeArrayFieldStart("notes");
            writeNotes(out, notes);
            out.writeEndArray();
        }
    }

    private static void writeNotes(JsonGenerator out, Map<String, Note> notes) throws IOException {
        for (Map.Entry<String, Note> note : notes.entrySet()) {
            out.writeStartObject();
            out.writeStringField("path", note.getKey());
            writeMembers(out, note.getValue());
            out.writeEndObject();
        }
    }

    private static void writeMembers(JsonGenerator out, Note note) throws IOException {
        writeFacts(out, "tags", note.tags());
        Fact mark = note.mark();
        if (mark != null) {
            out.writeObjectFieldStart("mark");
            out.writeStringField("state", mark.value());
            writeFact(out, mark);
        }
        writeFacts(out, "data", note.data());
        note.extras().write(out);
    }

    private static void writeFacts(JsonGenerator out, String key, Map<String, Fact> facts) throws IOException {
        if (facts.isEmpty()) {
            return;
        }
        out.writeObjectFieldStart(key);
        for (Map.Entry<String, Fact> fact : facts.entrySet()) {
            String value = fact.getValue().value();
            out.writeObjectFieldStart(fact.getKey());
            if (key.equals("data")) {
                out.writeFieldName("value");
                out.writeRawValue(value);
            } else if (!value.isEmpty()) {
                out.writeStringField("value", value);
            }
            writeFact(out, fact.getValue());
        }
        out.writeEndObject();
    }

    private static void writeFact(JsonGenerator out, Fact fact) throws IOException {
        if (!fact.reason().isEmpty()) {
            out.writeStringField("reason", fact.reason());
        }
        Epoch.write(out, "since", fact.since());
        fact.by().writeBy(out);
        out.writeEndObject();
    }
}
