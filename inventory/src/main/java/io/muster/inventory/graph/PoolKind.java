package io.muster.inventory.graph;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The base data that similar pools share (RFC 4): everything except name, id and uuid.
 *
 * @param size number of indistinguishable units in a pool of this kind; 0, which never matches, is legal here but in no document
 * @param unit unit of the size, "" if it has none
 */
public record PoolKind(String type, String basename, long size, String unit, SortedMap<String, String> properties) {
    /** The property of a pool made from R that has the ids of its units. */
    public static final String IDS = "ids";

    public PoolKind {
        if (type.isEmpty() || size < 0) {
            throw new IllegalArgumentException("a pool needs a type and a size of 0 or more: " + type + ", " + size);
        }
        properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
    }

    public static PoolKind of(String type, long size) {
        return new PoolKind(type, type, size, "", new TreeMap<>());
    }

    /** Returns whether pools of this kind have a property. The property {@code name=value}, as R has it, has a value here. */
    boolean has(String property) {
        int equals = property.indexOf('=');
        return properties.containsKey(property)
                || (equals > 0 && property.substring(equals + 1).equals(properties.get(property.substring(0, equals))));
    }

    public PoolKind withProperties(Map<String, String> more) {
        return new PoolKind(type, basename, size, unit, new TreeMap<>(more));
    }
}
