package io.muster.protocol.acquire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Reads the members of RFC 28's payloads and collects all faults in them; also writes the members. */
record Keys(Fields in, Problems problems) {
    /** Starts to read a payload. A payload that is no object, or has a key that is not in {@code known}, is a problem. */
    static Keys of(JsonNode payload, Problems problems, String... known) {
        boolean isObject = payload instanceof ObjectNode;
        if (!isObject) {
            problems.add("", "must be an object");
        }
        ObjectNode object = isObject ? (ObjectNode) payload : JsonNodeFactory.instance.objectNode();
        Keys keys = new Keys(
                new Fields(
                        object,
                        "",
                        (place, sentence) -> new InvalidException("payload", List.of(new Problem(place, sentence)), 0)),
                problems);
        keys.refuseUnknown(List.of(known));
        return keys;
    }

    private void refuseUnknown(List<String> known) {
        for (String name : in.names()) {
            if (!known.contains(name)) {
                problems.add(Pointer.of("", name), "is not a key of this response");
            }
        }
    }

    /** Returns the idset in a member; the empty set if the member is missing or, with a problem, if it is wrong. */
    Idset idset(String key) {
        return in.has(key) ? idset(in, key) : Idset.EMPTY;
    }

    private Idset idset(Fields object, String key) {
        return collect(() -> object.parse(key, "an idset string", Idset::parse), Idset.EMPTY);
    }

    SortedMap<String, Idset> properties(String key) {
        SortedMap<String, Idset> properties = new TreeMap<>();
        if (in.has(key)) {
            collect(
                            () -> Optional.of(in.object(key, "an object of property names to idsets")),
                            Optional.<Fields>empty())
                    .ifPresent(object -> object.names().forEach(name -> properties.put(name, idset(object, name))));
        }
        return properties;
    }

    /** Returns the result of {@code reading}. If it fails, adds a problem and returns {@code otherwise}. */
    private <T> T collect(Supplier<T> reading, T otherwise) {
        try {
            return reading.get();
        } catch (InvalidException e) {
            e.problems().forEach(problem -> problems.add(problem.place(), problem.sentence()));
            return otherwise;
        }
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
