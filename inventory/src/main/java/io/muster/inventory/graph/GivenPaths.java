package io.muster.inventory.graph;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The paths that a document gives to its vertices, by subsystem. A leaf stores only a reference to its parent's path,
 * which its siblings share.
 */
final class GivenPaths {
    /** For a vertex that has no other path than in containment, this path without the vertex's name. */
    private @Nullable String[] above = new String[16];

    private final Map<String, String> known = new HashMap<>();
    private final Map<Integer, Map<String, String>> otherPaths = new HashMap<>();

    void add(int vertex, String name, Map<String, String> paths) {
        above = vertex < above.length ? above : Arrays.copyOf(above, Math.max(vertex + 1, above.length * 2));
        @Nullable String path = paths.size() == 1 ? paths.get(EdgeKind.CONTAINMENT) : null;
        if (path != null && path.endsWith("/" + name)) {
            String lead = path.substring(0, path.length() - name.length() - 1);
            above[vertex] = known.computeIfAbsent(lead, p -> p);
        } else {
            otherPaths.put(vertex, new LinkedHashMap<>(paths));
        }
    }

    /** Returns the paths of a vertex by subsystem, or null if the document gives none. */
    @Nullable
    Map<String, String> of(int vertex, String name) {
        @Nullable String lead = vertex < above.length ? above[vertex] : null;
        return lead == null ? otherPaths.get(vertex) : Map.of(EdgeKind.CONTAINMENT, lead + "/" + name);
    }

    /** Drops the paths that {@code graph} can compute from its edges, to save memory. */
    void keepUnlike(ResourceGraph graph) {
        boolean anyKept = false;
        for (int vertex = 0; vertex < graph.size(); vertex++) {
            @Nullable Map<String, String> given = of(vertex, graph.pool(vertex).name());
            if (given != null && given.equals(graph.pathsByEdges(vertex))) {
                forget(vertex);
            } else {
                anyKept |= given != null;
            }
        }
        if (!anyKept) {
            above = new String[0];
            known.clear();
        }
    }

    private void forget(int vertex) {
        above[vertex] = null;
        otherPaths.remove(vertex);
    }
}
