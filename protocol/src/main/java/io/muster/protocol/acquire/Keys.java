package io.muster.protocol.acquire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads and writes the members of RFC 28's payloads. */
final class Keys {
    private Keys() {}

    static void refuseUnknown(JsonNode payload, Problems problems, String... known) {
        if (!payload.isObject()) {
            problems.add("", "must be an object");
        }
        List<String> names = List.of(known);
        payload.fieldNames().forEachRemaining(name -> {
            if (!names.contains(name)) {
                problems.add(pointer("", name), "is not a key of this response");
            }
        });
    }

    /** Returns the idset under {@code key}, empty if there is none or it is wrong. */
    static Idset idset(JsonNode payload, String key, Problems problems) {
        JsonNode value = payload.get(key);
        return value == null ? Idset.EMPTY : read(value, "/" + key, problems);
    }

    private static Idset read(JsonNode value, String place, Problems problems) {
        if (!value.isTextual()) {
            problems.add(place, "must be an idset string");
            return Idset.EMPTY;
        }
        try {
            return Idset.parse(value.textValue());
        } catch (MalformedException e) {
            problems.add(place, String.valueOf(e.getMessage()));
            return Idset.EMPTY;
        }
    }

    /** Returns the JSON pointer (RFC 6901) of a member. */
    static String pointer(String parent, String key) {
        return parent + "/" + key.replace("~", "~0").replace("/", "~1");
    }

    static SortedMap<String, Idset> properties(JsonNode payload, String key, Problems problems) {
        SortedMap<String, Idset> properties = new TreeMap<>();
        JsonNode object = payload.get(key);
        if (object != null && !object.isObject()) {
            problems.add("/" + key, "must be an object of property names to idsets");
        } else if (object != null) {
            object.properties()
                    .forEach(p ->
                            properties.put(p.getKey(), read(p.getValue(), pointer("/" + key, p.getKey()), problems)));
        }
        return properties;
    }

    static void put(ObjectNode payload, String key, Idset ids) {
        if (!ids.isEmpty()) {
            payload.put(key, ids.toString());
        }
    }

    static void put(ObjectNode payload, String key, SortedMap<String, Idset> properties) {
        if (!properties.isEmpty()) {
            ObjectNode object = payload.putObject(key);
            properties.forEach((name, ranks) -> object.put(name, ranks.toString()));
        }
    }
}
