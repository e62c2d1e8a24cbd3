package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.jgf.JgfReader;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The kind of an edge (RFC 4): a subsystem, the relationship of source to target, and whether the relationship holds both
 * ways. The opposite relationship, such as "in" for "contains", is a separate edge.
 *
 * @param more further metadata of the edge, kept unchanged for other programs
 */
public record EdgeKind(String subsystem, String relationship, boolean bothWays, Map<String, JsonNode> more) {
    /** Receives edges, one in each call. */
    @FunctionalInterface
    public interface EdgeConsumer {
        void edge(int source, int target, EdgeKind kind);
    }

    public static final String CONTAINMENT = JgfReader.CONTAINMENT;
    public static final String CONTAINS = JgfReader.CONTAINS;
    public static final String IN = JgfReader.IN;
    public static final String CONDUIT_OF = "conduit-of";

    public EdgeKind {
        more = more.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(more));
    }

    public static EdgeKind contains() {
        return of(CONTAINMENT, CONTAINS);
    }

    public static EdgeKind of(String subsystem, String relationship) {
        return new EdgeKind(subsystem, relationship, false, Map.of());
    }

    /**
     * Returns whether the edge points back up its hierarchy, so that a walk from the root must not follow it. The case is
     * ignored, because RFC 4 also writes the relationship in capitals.
     */
    boolean isOpposite() {
        return relationship.equalsIgnoreCase(IN);
    }

    boolean isContains() {
        return relationship.equalsIgnoreCase(CONTAINS);
    }
}
