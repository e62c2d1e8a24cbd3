package io.muster.inventory.json;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object. Reading is strict: a member that does not have the form that the caller asks for is a
 * fault, and the exception names its place. Members that are never read are ignored. A method with a parameter {@code noun}
 * completes the sentence "must be ..." with that noun.
 *
 * @param place JSON pointer of the object in the document
 * @param refusal makes the exception that a fault becomes
 */
public record Fields(ObjectNode json, String place, Refusal refusal) {
    /** Makes an exception from the JSON pointer of a fault and a sentence. */
    public interface Refusal {
        RuntimeException of(String place, String sentence);
    }

    /** Reads a member with a reader of its own, such as the reader of R. The reader returns a value or adds a problem. */
    public interface TreeReader<T> {
        @Nullable
        T read(JsonNode tree, Problems problems);
    }

    /**
     * Returns the members of a document whose faults become an {@link InvalidException}.
     *
     * @param subject kind of the document, for messages
     */
    public static Fields of(String subject, JsonNode document) {
        Refusal refusal = (place, sentence) -> new InvalidException(subject, List.of(new Problem(place, sentence)), 0);
        return of(document, "", "an object", refusal);
    }

    private static Fields of(JsonNode value, String place, String noun, Refusal refusal) {
        if (value instanceof ObjectNode object) {
            return new Fields(object, place, refusal);
        }
        throw refusal.of(place, "must be " + noun);
    }

    /** Refuses every member whose key is not one of {@code known}. {@code sentence} says why. */
    public Fields only(String sentence, String... known) {
        for (String name : names()) {
            if (!List.of(known).contains(name)) {
                throw fault(name, sentence);
            }
        }
        return this;
    }

    public boolean has(String key) {
        return json.has(key);
    }

    public List<String> names() {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    public Fields object(String key) {
        return object(key, "an object");
    }

    public Fields object(String key, String noun) {
        return of(json.path(key), Pointer.of(place, key), noun, refusal);
    }

    /** Returns the objects in an array. */
    public List<Fields> list(String key) {
        JsonNode array = json.path(key);
        if (!array.isArray()) {
            throw fault(key, "must be an array");
        }
        List<Fields> items = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            items.add(of(array.get(i), Pointer.of(place, key) + "/" + i, "an object", refusal));
        }
        return items;
    }

    /** Returns the objects in an array. The writer leaves the array out when it is empty, so a missing member means no objects. */
    public List<Fields> listOrNone(String key) {
        return has(key) ? list(key) : List.of();
    }

    /**
     * Returns the strings in an array. The writer leaves the array out when it is empty, so a missing member means no
     * strings.
     */
    public List<String> textsOrNone(String key) {
        List<String> texts = new ArrayList<>();
        for (JsonNode text : json.path(key)) {
            if (!text.isTextual()) {
                throw fault(key, "must be an array of strings");
            }
            texts.add(text.textValue());
        }
        return texts;
    }

    public String text(String key) {
        return text(key, "a string");
    }

    private String text(String key, String noun) {
        JsonNode value = json.path(key);
        if (!value.isTextual()) {
            throw fault(key, "must be " + noun);
        }
        return value.textValue();
    }

    @Nullable
    public String optional(String key) {
        return has(key) ? text(key) : null;
    }

    /** Writes what {@link #optional} reads. */
    public static void writeOptional(JsonGenerator out, String key, @Nullable String text) throws IOException {
        if (text != null) {
            out.writeStringField(key, text);
        }
    }

    public String textOr(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
    }

    /** Returns a boolean. The writer leaves the member out when it is false, so a missing member means false. */
    public boolean flag(String key) {
        return has(key) && givenFlag(key);
    }

    /** Returns a flag that must be present. */
    public boolean givenFlag(String key) {
        JsonNode value = json.path(key);
        if (!value.isBoolean()) {
            throw fault(key, "must be true or false");
        }
        return value.booleanValue();
    }

    public long integer(String key, long least, long most) {
        JsonNode value = json.path(key);
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < least
                || value.longValue() > most) {
            throw fault(key, "must be an integer from " + least + " to " + most);
        }
        return value.longValue();
    }

    public double number(String key) {
        return number(key, "a number");
    }

    public double number(String key, String noun) {
        JsonNode value = json.path(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw fault(key, "must be " + noun);
        }
        return value.doubleValue();
    }

    /**
     * Returns the constant of an enum whose word is the value of the member. The function {@code word} returns the word of a
     * constant.
     */
    public <E extends Enum<E>> E choice(String key, Class<E> type, Function<E, String> word) {
        String text = text(key);
        List<String> words = new ArrayList<>();
        for (E constant : type.getEnumConstants()) {
            if (word.apply(constant).equals(text)) {
                return constant;
            }
            words.add(word.apply(constant));
        }
        throw fault(key, "must be one of " + String.join(", ", words));
    }

    /** Returns the result of {@code parser} for the string in a member. */
    public <T> T parse(String key, Function<String, T> parser) {
        return parse(key, "a string", parser);
    }

    public <T> T parse(String key, String noun, Function<String, T> parser) {
        return parsed(key, text(key, noun), parser);
    }

    /** Returns the result of {@code parser} for the text of the key itself, not for its value. */
    public <T> T parseKey(String key, Function<String, T> parser) {
        return parsed(key, key, parser);
    }

    private <T> T parsed(String key, String text, Function<String, T> parser) {
        try {
            return parser.apply(text);
        } catch (MalformedException e) {
            throw fault(key, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the result of {@code reader} for the value of a member, which may have any type; the first problem becomes the
     * fault.
     */
    public <T> T tree(String key, TreeReader<T> reader) {
        Problems problems = new Problems();
        T value = reader.read(json.path(key), problems);
        if (value == null) {
            Problem first = problems.errors().get(0);
            throw refusal.of(Pointer.of(place, key) + first.place(), first.sentence());
        }
        return value;
    }

    public RuntimeException fault(String key, String sentence) {
        return refusal.of(Pointer.of(place, key), sentence);
    }
}
