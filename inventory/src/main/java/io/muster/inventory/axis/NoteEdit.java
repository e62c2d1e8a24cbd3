package io.muster.inventory.axis;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Note.Fact;
import io.muster.inventory.json.Fields;
import io.muster.inventory.problem.Text;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A change of notes, which is applied in the same way to every vertex. Its JSON is {@code {"tag": {KEY: VALUE or null}, "mark":
 * {"state": STATE or null, "reason": TEXT}, "data": {KEY: OBJECT or null}}}, where null removes an entry.
 *
 * @param tags tags to set, or to remove where the value is empty
 * @param mark the mark to set; its state "" removes the mark; null to leave the mark as it is
 * @param data JSON texts of schedulers' objects to set, or to remove where the value is empty
 */
public record NoteEdit(
        SortedMap<String, Optional<String>> tags, @Nullable Mark mark, SortedMap<String, Optional<String>> data) {
    /** The states of RFC 4. The last one, null, is the state of a vertex without a mark. */
    public static final List<String> STATES = List.of("up", "down", "degraded", "failing", "unknown");

    static final int MOST_TAGS = 64;
    static final int LONGEST_KEY = 128;
    static final int LONGEST_VALUE = 1024;
    static final int LONGEST_DATA = 8192;
    static final int DEEPEST_DATA = 32;

    public record Mark(String state, String reason) {}

    public NoteEdit {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
    }

    public static NoteEdit tag(String key, String value) {
        return new NoteEdit(new TreeMap<>(Map.of(key, Optional.of(value))), null, new TreeMap<>());
    }

    public static NoteEdit untag(String key) {
        return new NoteEdit(new TreeMap<>(Map.of(key, Optional.empty())), null, new TreeMap<>());
    }

    public static NoteEdit mark(String state, String reason) {
        return new NoteEdit(new TreeMap<>(), new Mark(state, reason), new TreeMap<>());
    }

    /** Reads the members {@code tag}, {@code mark} and {@code data}. */
    public static NoteEdit read(Fields in) {
        SortedMap<String, Optional<String>> tags = new TreeMap<>();
        SortedMap<String, Optional<String>> data = new TreeMap<>();
        members(in, "tag").forEach((key, value) -> {
            if (!value.isTextual() && !value.isNull()) {
                throw in.fault(
                        "tag", "must be an object of tags to strings or null, but " + Text.shown(key) + " is neither");
            }
            tags.put(key, Optional.ofNullable(value.textValue()));
        });
        members(in, "data").forEach((key, value) -> {
            if (!value.isObject() && !value.isNull()) {
                throw in.fault(
                        "data", "must be an object of keys to objects or null, but " + Text.shown(key) + " is neither");
            }
            data.put(key, value.isNull() ? Optional.empty() : Optional.of(Note.text(in.object("data"), key)));
        });
        Mark mark = null;
        if (in.has("mark")) {
            Fields given = in.object("mark");
            boolean removes = given.json().path("state").isNull();
            String state = removes ? "" : given.text("state");
            if (!removes && state.isEmpty()) {
                throw given.fault("state", "must not be empty: null removes the mark");
            }
            mark = new Mark(state, given.textOr("reason", ""));
        }
        return new NoteEdit(tags, mark, data);
    }

    private static Map<String, JsonNode> members(Fields in, String key) {
        SortedMap<String, JsonNode> members = new TreeMap<>();
        if (in.has(key)) {
            in.object(key).json().properties().forEach(member -> members.put(member.getKey(), member.getValue()));
        }
        return members;
    }

    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        if (!tags.isEmpty()) {
            ObjectNode object = json.putObject("tag");
            tags.forEach((key, value) -> object.put(key, value.orElse(null)));
        }
        if (mark != null) {
            ObjectNode object = json.putObject("mark");
            object.put("state", mark.state.isEmpty() ? null : mark.state);
            if (!mark.reason.isEmpty()) {
                object.put("reason", mark.reason);
            }
        }
        if (!data.isEmpty()) {
            ObjectNode object = json.putObject("data");
            data.forEach((key, value) ->
                    value.ifPresentOrElse(text -> object.set(key, Note.tree(text)), () -> object.putNull(key)));
        }
        return json;
    }

    /** Returns whether the change sets nothing. */
    public boolean onlyRemoves() {
        return (mark == null || mark.state.isEmpty())
                && tags.values().stream().allMatch(Optional::isEmpty)
                && data.values().stream().allMatch(Optional::isEmpty);
    }

    /** Returns what is wrong with the change, or null. The reason of the mark is not checked here. */
    public @Nullable String fault() {
        if (tags.isEmpty() && mark == null && data.isEmpty()) {
            return "the request changes nothing: give tag, mark or data";
        }
        if (mark != null && !mark.state.isEmpty() && !STATES.contains(mark.state)) {
            return "the state \"" + Text.shown(mark.state) + "\" is not one of " + String.join(", ", STATES)
                    + " and null";
        }
        for (Map.Entry<String, Optional<String>> tag : tags.entrySet()) {
            String fault = keyFault("tag", tag.getKey());
            fault = fault == null ? valueFault(tag.getKey(), tag.getValue().orElse("")) : fault;
            if (fault != null) {
                return fault;
            }
        }
        for (Map.Entry<String, Optional<String>> object : data.entrySet()) {
            String fault = keyFault("data key", object.getKey());
            if (fault != null) {
                return fault;
            }
            int depth = object.getValue().map(text -> depth(Note.tree(text))).orElse(0);
            if (depth > DEEPEST_DATA) {
                return "the data " + object.getKey() + " are nested " + depth + " levels deep, and may be nested "
                        + DEEPEST_DATA;
            }
        }
        return null;
    }

    private static int depth(JsonNode tree) {
        int deepest = 0;
        for (JsonNode child : tree) {
            deepest = Math.max(deepest, depth(child));
        }
        return tree.isContainerNode() ? 1 + deepest : 0;
    }

    private static @Nullable String keyFault(String noun, String key) {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            return "a " + noun + " has 1 to " + LONGEST_KEY + " characters, not " + key.length();
        }
        int bad = key.codePoints()
                .filter(c -> !Text.isText(c) || Character.isSpaceChar(c) || c == '=')
                .findFirst()
                .orElse(-1);
        return bad < 0
                ? null
                : "the " + noun + " \"" + Text.shown(key) + "\" has " + Text.name(bad)
                        + ": neither spaces, nor =, nor control characters may be in it";
    }

    private static @Nullable String valueFault(String key, String value) {
        if (value.length() > LONGEST_VALUE) {
            return "the value of the tag " + key + " has " + value.length() + " characters, and may have "
                    + LONGEST_VALUE;
        }
        int bad = value.codePoints().filter(c -> !Text.isText(c)).findFirst().orElse(-1);
        return bad < 0 ? null : "the value of the tag " + key + " must be one line of text, but has " + Text.name(bad);
    }

    /** Returns why {@code by} may not make this change to {@code note}, or null: data belong to the user who stored them. */
    public @Nullable String ownerFault(@Nullable Note note, Principal by) {
        for (Map.Entry<String, Optional<String>> object : data.entrySet()) {
            Fact stored = note == null ? null : note.data().get(object.getKey());
            if (stored != null && object.getValue().isPresent() && !stored.by().isSamePerson(by)) {
                return "the data " + object.getKey() + " belong to " + stored.by()
                        + ": use another key, or remove them first";
            }
        }
        return null;
    }

    /** Returns why {@code note} would be too large after the change, or null. */
    public @Nullable String sizeFault(@Nullable Note note, Principal by) {
        Note after = applyTo(note, 0, by);
        if (after != null && after.tags().size() > MOST_TAGS) {
            return "a vertex would have " + after.tags().size() + " tags, and may have " + MOST_TAGS;
        }
        return after != null && after.dataLength() > LONGEST_DATA
                ? "a vertex would have data of " + after.dataLength() + " characters, and may have " + LONGEST_DATA
                : null;
    }

    /** Returns {@code note} after the change, the same object if it changes nothing; null if the note has no entries left. */
    public @Nullable Note applyTo(@Nullable Note note, double time, Principal by) {
        Note before = note == null ? Note.NONE : note;
        Fact nextMark = before.mark();
        if (mark != null) {
            nextMark = mark.state.isEmpty() ? null : fact(nextMark, mark.state, mark.reason, time, by);
        }
        Note after = new Note(
                changed(before.tags(), tags, time, by),
                nextMark,
                changed(before.data(), data, time, by),
                before.extras());
        return after.isEmpty() ? null : after.equals(before) ? note : after;
    }

    private static SortedMap<String, Fact> changed(
            SortedMap<String, Fact> before, SortedMap<String, Optional<String>> edits, double time, Principal by) {
        if (edits.isEmpty()) {
            return before;
        }
        SortedMap<String, Fact> after = new TreeMap<>(before);
        edits.forEach((key, value) -> value.ifPresentOrElse(
                text -> after.put(key, fact(before.get(key), text, "", time, by)), () -> after.remove(key)));
        return after;
    }

    private static Fact fact(@Nullable Fact before, String value, String reason, double time, Principal by) {
        return before != null && before.says(value, reason) ? before : new Fact(value, reason, time, by);
    }
}
