package io.muster.protocol.acquire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Epoch;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Fields;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import java.util.Collections;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * An update: a response of an acquire stream after the first (RFC 28 "Additional Acquire Responses"). An empty response
 * cannot be created, because deployed schedulers react to it with a whole scheduling pass. A response with contradicting
 * sets cannot be created either, because each scheduler would read it in a different way.
 *
 * @param up ranks that become available
 * @param down ranks that become unavailable
 * @param shrink ranks that left for good; all of them are in {@code down} too
 * @param propertyAdd ranks by name of the property, none empty
 * @param propertyRemove ranks by name of the property, none empty
 * @param expiration seconds since the epoch, 0 for never; absent if unchanged
 */
public record Next(
        Idset up,
        Idset down,
        Idset shrink,
        SortedMap<String, Idset> propertyAdd,
        SortedMap<String, Idset> propertyRemove,
        OptionalDouble expiration) {
    /** Completes the sentence about a key that a response may not have. */
    static final String FOREIGN_KEY = "is not a key of this response";

    public Next {
        propertyAdd = Collections.unmodifiableSortedMap(new TreeMap<>(propertyAdd));
        propertyRemove = Collections.unmodifiableSortedMap(new TreeMap<>(propertyRemove));
        Problems problems = problems(up, down, shrink, propertyAdd, propertyRemove, expiration);
        if (!problems.isEmpty()) {
            throw problems.exception("acquire response");
        }
    }

    private static Problems problems(
            Idset up,
            Idset down,
            Idset shrink,
            SortedMap<String, Idset> propertyAdd,
            SortedMap<String, Idset> propertyRemove,
            OptionalDouble expiration) {
        Problems problems = new Problems();
        if (isEmpty(up, down, propertyAdd, propertyRemove, expiration) && shrink.isEmpty()) {
            problems.add("", "says nothing");
        }
        if (up.intersects(down)) {
            problems.add("/up", "and /down both name " + up.intersect(down));
        }
        if (!down.containsAll(shrink)) {
            problems.add("/shrink", "names " + shrink.subtract(down) + ", which /down does not");
        }
        properties(problems, "/property-add", propertyAdd);
        properties(problems, "/property-remove", propertyRemove);
        propertyAdd.forEach((name, ranks) -> {
            Idset both = ranks.intersect(propertyRemove.getOrDefault(name, Idset.EMPTY));
            if (!both.isEmpty()) {
                problems.add(Pointer.of("/property-add", name), "and /property-remove both name " + both);
            }
        });
        if (expiration.isPresent() && !(expiration.getAsDouble() >= 0 && Double.isFinite(expiration.getAsDouble()))) {
            problems.add("/expiration", "must be 0 or more");
        }
        return problems;
    }

    /** Checks properties. Each must be on at least one rank and have a name that RFC 20 allows. */
    private static void properties(Problems problems, String place, SortedMap<String, Idset> properties) {
        properties.forEach((name, ranks) -> {
            String fault = ranks.isEmpty() ? "names no rank" : ResourceSet.propertyNameFault(name);
            if (fault != null) {
                problems.add(Pointer.of(place, name), fault);
            }
        });
    }

    static boolean isEmpty(
            Idset up,
            Idset down,
            SortedMap<String, Idset> propertyAdd,
            SortedMap<String, Idset> propertyRemove,
            OptionalDouble expiration) {
        return up.isEmpty()
                && down.isEmpty()
                && propertyAdd.isEmpty()
                && propertyRemove.isEmpty()
                && expiration.isEmpty();
    }

    /**
     * Reads a response in the same way as deployed schedulers do: ranks in {@code shrink} count as {@code down} even if the
     * server does not list them there (flux-core does not for a drained rank), and ranks in both up and down are down.
     */
    public static Next parse(JsonNode payload) {
        Fields in = Fields.of("acquire response", payload)
                .only(FOREIGN_KEY, "up", "down", "shrink", "property-add", "property-remove", "expiration");
        Idset shrink = idset(in, "shrink");
        Idset down = idset(in, "down").union(shrink);
        return new Next(
                idset(in, "up").subtract(down),
                down,
                shrink,
                properties(in, "property-add"),
                properties(in, "property-remove"),
                in.has("expiration") ? OptionalDouble.of(in.number("expiration")) : OptionalDouble.empty());
    }

    /** Returns the idset under {@code key}, empty if there is none. */
    static Idset idset(Fields in, String key) {
        return in.has(key) ? in.parse(key, "an idset string", Idset::parse) : Idset.EMPTY;
    }

    private static SortedMap<String, Idset> properties(Fields in, String key) {
        SortedMap<String, Idset> properties = new TreeMap<>();
        if (in.has(key)) {
            Fields object = in.object(key, "an object of property names to idsets");
            object.names().forEach(name -> properties.put(name, idset(object, name)));
        }
        return properties;
    }

    public ObjectNode toJson() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        put(payload, "up", up);
        put(payload, "down", down);
        put(payload, "shrink", shrink);
        put(payload, "property-add", propertyAdd);
        put(payload, "property-remove", propertyRemove);
        expiration.ifPresent(seconds -> payload.set("expiration", Epoch.number(seconds)));
        return payload;
    }

    private static void put(ObjectNode payload, String key, Idset ids) {
        if (!ids.isEmpty()) {
            payload.put(key, ids.toString());
        }
    }

    private static void put(ObjectNode payload, String key, SortedMap<String, Idset> properties) {
        if (!properties.isEmpty()) {
            ObjectNode object = payload.putObject(key);
            properties.forEach((name, ranks) -> put(object, name, ranks));
        }
    }
}
