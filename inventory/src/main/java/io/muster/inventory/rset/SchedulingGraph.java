package io.muster.inventory.rset;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.jgf.JgfReader;
import io.muster.inventory.jgf.JgfVertex;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.Problems;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The {@code graph} of the key {@code scheduling} (RFC 20, RFC 40) as far as R needs it: the node to which each vertex belongs,
 * and the rank for which each node stands. Containment is taken from edges, or from {@code paths} for a vertex to which no edge
 * leads. A graph without vertices of type node is one host, its root, unless its vertices have several ranks.
 */
public final class SchedulingGraph {
    public static final String NODE = "node";
    private static final int NONE = -1;
    private static final int UNKNOWN = -2;

    private final List<JgfVertex> vertices;
    private final int[] parents;
    private final int[] anchors;
    private final BitSet nodes = new BitSet();

    private SchedulingGraph(Contents contents) {
        vertices = contents.vertices;
        parents = Arrays.copyOf(contents.parents, vertices.size());
        parentsByPath(contents.paths);
        anchors = new int[parents.length];
        Arrays.fill(anchors, UNKNOWN);
        for (int v = 0; v < parents.length; v++) {
            nodes.set(v, vertex(v).type().equals(NODE));
        }
        long ranks = vertices.stream()
                .mapToInt(JgfVertex::rank)
                .filter(rank -> rank >= 0)
                .distinct()
                .limit(2)
                .count();
        for (int v = 0; v < parents.length && nodes.isEmpty() && ranks < 2; v++) {
            nodes.set(v, parents[v] == NONE);
        }
    }

    /** Collects the vertices of a document, and for each the vertex from which an edge of containment first leads to it. */
    private static final class Contents implements JgfReader.Contents {
        final List<JgfVertex> vertices = new ArrayList<>();
        final List<String> paths = new ArrayList<>();
        private final Map<String, String> words = new HashMap<>();
        int[] parents = new int[0];

        @Override
        public void vertex(JgfVertex v) {
            vertices.add(v.brief(words));
            paths.add(v.path());
        }

        @Override
        public void edge(
                int source,
                int target,
                String subsystem,
                String relationship,
                boolean bothWays,
                Map<String, JsonNode> more) {
            if (subsystem.equals(JgfReader.CONTAINMENT) && !relationship.equalsIgnoreCase(JgfReader.IN)) {
                settle();
                parents[target] = parents[target] == NONE ? source : parents[target];
            }
        }

        void settle() {
            if (parents.length != vertices.size()) {
                parents = new int[vertices.size()];
                Arrays.fill(parents, NONE);
            }
        }
    }

    /** Returns the graph, or null if {@code scheduling} has no graph or the graph has faults, which are then in {@code problems}. */
    public static @Nullable SchedulingGraph read(RawJson scheduling, Problems problems) {
        Contents contents = new Contents();
        if (!scheduling.outline().has("graph") || !JgfReader.read(scheduling.stream(), problems, contents)) {
            return null;
        }
        contents.settle();
        return new SchedulingGraph(contents);
    }

    private void parentsByPath(List<String> paths) {
        Map<String, Integer> byPath = new HashMap<>();
        for (int v = 0; v < parents.length; v++) {
            String path = paths.get(v);
            if (parents[v] == NONE && path.lastIndexOf('/') > 0) {
                if (byPath.isEmpty()) {
                    for (int other = parents.length - 1; other >= 0; other--) {
                        byPath.put(paths.get(other), other);
                    }
                }
                parents[v] = nearestAbove(path, byPath);
            }
        }
    }

    private static int nearestAbove(String path, Map<String, Integer> byPath) {
        for (int end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
            Integer above = byPath.get(path.substring(0, end));
            if (above != null) {
                return above;
            }
        }
        return NONE;
    }

    public int size() {
        return parents.length;
    }

    /** Returns the vertex at a place in the list of the document. */
    public JgfVertex vertex(int at) {
        return vertices.get(at);
    }

    /** Returns the vertex above, or -1. */
    public int parent(int vertex) {
        return parents[vertex];
    }

    /** Returns the vertices that are hosts: those of type node, or the root if there are none. */
    public BitSet nodes() {
        return nodes;
    }

    /** Returns the node that contains a vertex or is the vertex, or -1. */
    public int node(int vertex) {
        int anchor = anchor(vertex);
        return anchor != NONE && nodes.get(anchor) ? anchor : NONE;
    }

    /**
     * Returns the node that contains a vertex or is the vertex. If there is none, returns the nearest containing vertex that has a
     * rank, or -1.
     */
    int anchor(int vertex) {
        Deque<Integer> climbed = new ArrayDeque<>();
        int at = vertex;
        while (at != NONE && anchors[at] == UNKNOWN) {
            anchors[at] = NONE; // a cycle of edges ends here
            climbed.push(at);
            at = nodes.get(at) ? NONE : parents[at];
        }
        int above = at == NONE ? NONE : anchors[at];
        while (!climbed.isEmpty()) {
            int v = climbed.pop();
            boolean inNode = above != NONE && nodes.get(above);
            above = nodes.get(v) || (!inNode && vertex(v).rank() >= 0) ? v : above;
            anchors[v] = above;
        }
        return anchors[vertex];
    }

    /** Returns whether some node has the name of a host of {@code r}. */
    public boolean namesHosts(ResourceSet r) {
        return nodes.stream().anyMatch(v -> !r.ranksOf(vertex(v).name()).isEmpty());
    }

    /**
     * Returns the ranks of {@code r} for one of which a vertex stands. If nodes have the names of hosts, the name decides, because
     * ranks change and hosts do not. Otherwise, and among the ranks of one host, the vertex's own rank decides.
     *
     * @param named the result of {@link #namesHosts}
     */
    public Idset ranksOf(int vertex, ResourceSet r, boolean named) {
        Idset ranks = named && nodes.get(vertex) ? r.ranksOf(vertex(vertex).name()) : r.ranks();
        int own = vertex(vertex).rank();
        if (own >= 0 && ranks.contains(own)) {
            return Idset.of(own);
        }
        return named && nodes.get(vertex) ? ranks : Idset.EMPTY;
    }

    /**
     * Returns {@code scheduling}, from which this graph was read, without the vertices of the ranks {@code lost} of {@code r}, their
     * descendants and the edges of both; null if there are none.
     */
    @Nullable
    RawJson without(Idset lost, ResourceSet r, RawJson scheduling) {
        boolean named = namesHosts(r);
        BitSet removed = new BitSet();
        for (int v = 0; v < size(); v++) {
            int anchor = anchor(v);
            if (anchor == v) {
                Idset ranks = ranksOf(v, r, named);
                removed.set(v, !ranks.isEmpty() && lost.containsAll(ranks));
            }
        }
        for (int v = 0; v < size(); v++) {
            int anchor = anchor(v);
            removed.set(v, anchor != NONE && removed.get(anchor));
        }
        return removed.isEmpty() ? null : without(removed, scheduling);
    }

    private RawJson without(BitSet removed, RawJson scheduling) {
        Set<String> gone = new HashSet<>();
        removed.stream().forEach(v -> gone.add(vertex(v).key()));
        return scheduling.edited(Map.of(
                "/graph/nodes", vertex -> gone.contains(vertex.path("id").asText()) ? null : vertex,
                "/graph/edges",
                        edge -> gone.contains(edge.path("source").asText())
                                        || gone.contains(edge.path("target").asText())
                                ? null
                                : edge));
    }

    /** Whether Fluxion wrote the graph of {@code scheduling}. A graph of another scheduler may have any form (RFC 20). */
    public static boolean isOfFluxion(RawJson scheduling) {
        return scheduling
                .outline()
                .path("writer")
                .asText("fluxion")
                .split(":", 2)[0]
                .equals("fluxion");
    }

    /**
     * Returns {@code scheduling}, from which this graph was read, with the properties of {@code r} at the nodes of the graph; null if
     * they are there.
     *
     * @param removed properties that the nodes no longer have, with their ranks
     */
    @Nullable
    RawJson withProperties(ResourceSet r, Map<String, Idset> removed, RawJson scheduling) {
        Map<Integer, List<String>> keys = new HashMap<>();
        boolean named = namesHosts(r);
        nodes.stream()
                .forEach(v -> ranksOf(v, r, named)
                        .forEach(rank -> keys.computeIfAbsent(rank, n -> new ArrayList<>())
                                .add(vertex(v).key())));
        Map<String, List<String>> has = byKey(r.properties(), keys);
        Map<String, List<String>> lacks = byKey(removed, keys);
        boolean[] changed = {false};
        RawJson edited = scheduling.edited(Map.of("/graph/nodes", vertex -> {
            String key = vertex.path("id").asText();
            for (String name : has.getOrDefault(key, List.of())) {
                if (keyOf(name, vertex) == null) {
                    properties(vertex).put(name, "");
                    changed[0] = true;
                }
            }
            for (String name : lacks.getOrDefault(key, List.of())) {
                String given = keyOf(name, vertex);
                if (given != null) {
                    properties(vertex).remove(given);
                    changed[0] = true;
                }
            }
            return vertex;
        }));
        return changed[0] ? edited : null;
    }

    private static Map<String, List<String>> byKey(Map<String, Idset> properties, Map<Integer, List<String>> keys) {
        Map<String, List<String>> byKey = new HashMap<>();
        properties.forEach((name, ranks) -> ranks.forEach(rank -> keys.getOrDefault(rank, List.of())
                .forEach(key ->
                        byKey.computeIfAbsent(key, k -> new ArrayList<>()).add(name))));
        return byKey;
    }

    /** Returns the properties of a vertex, which this method adds if the vertex has none. */
    private static ObjectNode properties(JsonNode vertex) {
        ObjectNode metadata = (ObjectNode) vertex.path("metadata");
        return metadata.path("properties") instanceof ObjectNode given ? given : metadata.putObject("properties");
    }

    /** Returns the key of a property, which is {@code name} for the property {@code name=value} of R with this value; null if it is absent. */
    private static @Nullable String keyOf(String property, JsonNode vertex) {
        JsonNode properties = vertex.at("/metadata/properties");
        int equals = property.indexOf('=');
        if (properties.has(property) || equals < 1) {
            return properties.has(property) ? property : null;
        }
        String name = property.substring(0, equals);
        return properties.path(name).asText("").equals(property.substring(equals + 1)) ? name : null;
    }
}
