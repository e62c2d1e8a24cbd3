package io.muster.inventory.jgf;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A vertex of a JGF document, with the defaults of RFC 4 and of Fluxion.
 *
 * @param key the id of the vertex in the document
 * @param id the number in the name, or {@link #NO_ID}
 * @param rank the execution target that the vertex is or belongs to, or -1
 * @param paths paths by subsystem; null if there are none, because Fluxion requires paths, but RFC 20 of 2023 does not have them
 * @param more the keys that are not base data or paths; one that stands beside the metadata has the prefix {@link #OUTSIDE}
 */
public record JgfVertex(
        String key,
        String type,
        String basename,
        String name,
        long id,
        int rank,
        long size,
        String unit,
        SortedMap<String, String> properties,
        @Nullable Map<String, String> paths,
        Map<String, JsonNode> more) {
    /** The prefix of a key that stands beside the metadata in the document, not in it. */
    public static final String OUTSIDE = "../";

    public static final long NO_ID = -1;

    /**
     * Returns a vertex that takes little memory: without properties, paths and further keys.
     *
     * @param words the strings of other vertices, which this one shares
     */
    public JgfVertex brief(Map<String, String> words) {
        return new JgfVertex(
                key,
                words.computeIfAbsent(type, t -> t),
                "",
                words.computeIfAbsent(name, n -> n),
                id,
                rank,
                size,
                "",
                Collections.emptySortedMap(),
                null,
                Map.of());
    }

    /** Returns the path in containment, or "". */
    public String path() {
        return paths == null ? "" : paths.getOrDefault(JgfReader.CONTAINMENT, "");
    }
}
