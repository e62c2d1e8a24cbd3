package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an edge says (RFC 4): the subsystem it belongs to, the relationship of its source to its target, and whether it holds
 * both ways. The opposite relationship, such as "in" for "contains", is an edge of its own.
 *
 * @param more further metadata of other writers, untouched
 */
public record EdgeKind(String subsystem, String relationship, boolean bothWays, Map<String, JsonNode> more) {
    /** Told of edges, one call each. */
    @FunctionalInterface
    public interface EdgeConsumer {
        void edge(int source, int target, EdgeKind kind);
    }

    public static final String CONTAINMENT = "containment";
    public static final String CONTAINS = "contains";
    public static final String IN = "in";
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

    /** Whether the edge points back up its hierarchy, which a walk from the root must not follow. RFC 4 writes it in capitals too. */
    boolean isOpposite() {
        return relationship.equalsIgnoreCase(IN);
    }

    boolean isContains() {
        return relationship.equalsIgnoreCase(CONTAINS);
    }
}
