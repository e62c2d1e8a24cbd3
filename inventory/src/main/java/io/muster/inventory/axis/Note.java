package io.muster.inventory.axis;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.json.Extras;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.StrictJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The note of users and schedulers on one vertex of the resource graph: the extended data of RFC 4.
 *
 * @param tags values by tag, "" for a tag without a value
 * @param mark the state that a user set on the vertex, with a reason; null if there is none
 * @param data JSON objects that schedulers stored, as text, by key
 * @param extras members that another version wrote and this version does not know
 */
public record Note(SortedMap<String, Fact> tags, @Nullable Fact mark, SortedMap<String, Fact> data, Extras extras) {
    public static final Note NONE = new Note(new TreeMap<>(), null, new TreeMap<>(), Extras.NONE);

    /**
     * One entry of a note.
     *
     * @param value the value of a tag, the state of a mark, or the JSON text of a scheduler's object
     * @param reason the reason of a mark; otherwise "", and also if none was given
     */
    public record Fact(String value, String reason, double since, Principal by) {
        /** The approximate number of characters that the time, the author and the names of the members of a fact have in an answer. */
        private static final long FRAME = 64;

        long length() {
            return FRAME + value.length() + reason.length();
        }

        boolean says(String otherValue, String otherReason) {
            return value.equals(otherValue) && reason.equals(otherReason);
        }
    }

    public Note {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        data = Collections.unmodifiableSortedMap(new TreeMap<>(data));
    }

    /**
     * Returns the text of an object that a scheduler stored. A restart reads decimal numbers from the journal, whose text differs from that
     * of doubles, and refuses what not every reader takes.
     */
    public static String text(Fields in, String key) {
        return in.tree(key, (tree, problems) -> StrictJson.read(tree.toString(), problems))
                .toString();
    }

    /** Returns the object that a scheduler stored, from its text. */
    public static JsonNode tree(String json) {
        try {
            return StrictJson.stored(json.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("a note has an object that is no JSON", e);
        }
    }

    boolean isEmpty() {
        return tags.isEmpty() && mark == null && data.isEmpty() && extras.equals(Extras.NONE);
    }

    /** Returns the number of characters of all schedulers' objects. */
    int dataLength() {
        return data.values().stream().mapToInt(fact -> fact.value().length()).sum();
    }

    /** Returns about how many characters the note has in an answer. */
    long length() {
        long sum = mark == null ? 0 : mark.length();
        for (SortedMap<String, Fact> facts : List.of(tags, data)) {
            for (Map.Entry<String, Fact> fact : facts.entrySet()) {
                sum += fact.getKey().length() + fact.getValue().length();
            }
        }
        return sum;
    }
}
