package io.muster.inventory.axis;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads the members of a JSON object that this program wrote. Reading is strict: anything that this program does not write
 * means damage and leads to an {@link InvalidException} that names the place. Members that are never read are ignored.
 *
 * @param subject kind of the whole document, for messages
 * @param place JSON pointer of the object in the document
 */
public record Fields(String subject, String place, JsonNode json) {
    /** An earlier version may have written strings that are refused today: the document is mended, in place. */
    public static Fields of(String subject, JsonNode document) {
        PortableJson.mend(document);
        return new Fields(subject, "", document).requireObject();
    }

    private Fields requireObject() {
        if (!json.isObject()) {
            throw refuse(place, "must be an object");
        }
        return this;
    }

    public boolean has(String key) {
        return json.has(key);
    }

    public Fields object(String key) {
        return new Fields(subject, pointer(key), json.path(key)).requireObject();
    }

    /** Returns the objects in an array. */
    public List<Fields> list(String key) {
        JsonNode array = json.path(key);
        if (!array.isArray()) {
            throw fault(key, "must be an array");
        }
        List<Fields> items = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            items.add(new Fields(subject, pointer(key) + "/" + i, array.get(i)).requireObject());
        }
        return items;
    }

    /** Returns the same as {@link #list}, for an array that is absent if it is empty. */
    public List<Fields> listOrNone(String key) {
        return has(key) ? list(key) : List.of();
    }

    public List<String> textsOrNone(String key) {
        List<String> texts = new ArrayList<>();
        JsonNode array = json.path(key);
        for (JsonNode text : array) {
            if (!text.isTextual()) {
                throw fault(key, "must be an array of strings");
            }
            texts.add(text.textValue());
        }
        return texts;
    }

    /** Returns the values of an object whose keys are names. */
    public SortedMap<String, Fields> byName(String key) {
        SortedMap<String, Fields> named = new TreeMap<>();
        Fields object = object(key);
        object.json.fieldNames().forEachRemaining(name -> named.put(name, object.object(name)));
        return named;
    }

    public String text(String key) {
        JsonNode value = json.path(key);
        if (!value.isTextual()) {
            throw fault(key, "must be a string");
        }
        return value.textValue();
    }

    @Nullable
    public String optional(String key) {
        return has(key) ? text(key) : null;
    }

    public String textOr(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
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

    public double seconds(String key) {
        JsonNode value = json.path(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw fault(key, "must be a number of seconds");
        }
        return value.doubleValue();
    }

    /** Returns a time, or {@code otherwise} if the member is absent. */
    public double secondsOr(String key, double otherwise) {
        return has(key) ? instant(key) : otherwise;
    }

    /** Returns a time, which must not be before the epoch. */
    public double instant(String key) {
        double seconds = seconds(key);
        if (seconds < 0) {
            throw fault(key, "must not be negative");
        }
        return seconds;
    }

    public Idset idset(String key) {
        String text = text(key);
        try {
            return Idset.parse(text);
        } catch (MalformedException e) {
            throw fault(key, String.valueOf(e.getMessage()));
        }
    }

    /** Returns a hostlist that is absent if it is empty. */
    public Hostlist hostlistOrNone(String key) {
        try {
            return Hostlist.parse(textOr(key, ""));
        } catch (MalformedException e) {
            throw fault(key, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the idsets in an object by their names; none of them may be empty. */
    public SortedMap<String, Idset> idsets(String key) {
        SortedMap<String, Idset> named = new TreeMap<>();
        Fields object = object(key);
        object.json.fieldNames().forEachRemaining(name -> {
            Idset ids = object.idset(name);
            if (ids.isEmpty()) {
                throw object.fault(name, "names no rank");
            }
            named.put(name, ids);
        });
        return named;
    }

    /** Returns the constant for which {@code word} returns the text. */
    <E extends Enum<E>> E choice(String key, Class<E> type, Function<E, String> word) {
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

    public ResourceSet resources(String key) {
        Problems problems = new Problems();
        ResourceSet resources = ResourceSet.parse(json.path(key), problems);
        if (resources == null) {
            Problem first = problems.errors().get(0);
            throw refuse(pointer(key) + first.place(), first.sentence());
        }
        return resources;
    }

    /** Returns an idset that is not empty and contains only ids of {@code all}. */
    public Idset idsetWithin(String key, Idset all) {
        Idset ids = idset(key);
        if (ids.isEmpty() || !all.containsAll(ids)) {
            throw fault(
                    key, ids.isEmpty() ? "names no rank" : "names " + ids.subtract(all) + ", which R does not have");
        }
        return ids;
    }

    public InvalidException fault(String key, String sentence) {
        return refuse(pointer(key), sentence);
    }

    private InvalidException refuse(String where, String sentence) {
        return new InvalidException(subject, List.of(new Problem(where, sentence)), 0);
    }

    private String pointer(String key) {
        return Problem.pointer(place, key);
    }
}
