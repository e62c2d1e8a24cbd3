package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;

/**
 * The members of an object in an answer, for code that reads answers. Members that are never read are ignored, because a later
 * version may send more of them.
 *
 * @param subject name of the answer, for messages
 * @param place JSON pointer of the object
 */
record Members(String subject, String place, ObjectNode json) {
    static Members of(String subject, JsonNode payload) {
        return of(subject, "", payload);
    }

    private static Members of(String subject, String place, JsonNode value) {
        if (value instanceof ObjectNode object) {
            return new Members(subject, place, object);
        }
        throw refuse(subject, place, "must be an object");
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        json.fieldNames().forEachRemaining(names::add);
        return names;
    }

    boolean has(String key) {
        return json.has(key);
    }

    Members object(String key) {
        return of(subject, pointer(key), json.path(key));
    }

    List<Members> list(String key) {
        JsonNode array = json.path(key);
        if (!array.isArray()) {
            throw fault(key, "must be an array");
        }
        List<Members> items = new ArrayList<>(array.size());
        for (int i = 0; i < array.size(); i++) {
            items.add(of(subject, pointer(key) + "/" + i, array.get(i)));
        }
        return items;
    }

    String text(String key) {
        JsonNode value = json.path(key);
        if (!value.isTextual()) {
            throw fault(key, "must be a string");
        }
        return value.textValue();
    }

    String textOr(String key, String otherwise) {
        return has(key) ? text(key) : otherwise;
    }

    double number(String key) {
        JsonNode value = json.path(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw fault(key, "must be a number");
        }
        return value.doubleValue();
    }

    Idset idset(String key) {
        return idset(key, text(key));
    }

    /** Reads {@code text} as an idset; faults are reported at {@code key}. */
    Idset idset(String key, String text) {
        try {
            return Idset.parse(text);
        } catch (MalformedException e) {
            throw fault(key, String.valueOf(e.getMessage()));
        }
    }

    ResourceSet resources(String key) {
        Problems problems = new Problems();
        ResourceSet resources = ResourceSet.parse(json.path(key), problems);
        if (resources == null) {
            Problem first = problems.errors().get(0);
            throw refuse(subject, pointer(key) + first.place(), first.sentence());
        }
        return resources;
    }

    InvalidException fault(String key, String sentence) {
        return refuse(subject, pointer(key), sentence);
    }

    private static InvalidException refuse(String subject, String place, String sentence) {
        return new InvalidException(subject, List.of(new Problem(place, sentence)), 0);
    }

    /** Returns the JSON pointer (RFC 6901) of a member. */
    private String pointer(String key) {
        return place + "/" + key.replace("~", "~0").replace("/", "~1");
    }
}
