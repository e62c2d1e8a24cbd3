package io.muster.inventory.status;

import io.muster.inventory.axis.Note;
import io.muster.inventory.axis.Notes;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Extended;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Text;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The marks on vertices, by state.
 *
 * @param places for each state the ranks by path below their node, and absolute paths with no ranks
 */
public record Marks(SortedMap<String, SortedMap<String, Idset>> places) {
    /** The number of places that a sentence names. */
    private static final int MOST_NAMED = 4;

    private static final String NODE = "node";

    public static Marks of(Notes notes) {
        Marks marks = new Marks(new TreeMap<>());
        notes.inside()
                .forEach((path, byRank) -> byRank.groups().forEach((note, ranks) -> marks.add(note, path, ranks)));
        notes.outside().forEach((path, note) -> marks.add(note, path, Idset.EMPTY));
        return marks;
    }

    private void add(Note note, String path, Idset ranks) {
        Note.@Nullable Fact mark = note.mark();
        if (mark != null) {
            places.computeIfAbsent(mark.value(), state -> new TreeMap<>()).merge(path, ranks, Idset::union);
        }
    }

    /**
     * Returns the paths of the vertices that are marked "down" and are no nodes, by their places. The place of a vertex in a node is
     * HOST/PATH, with the path below the node; that of another vertex is its path. A vertex that the graph does not have has the path "".
     * Other subsystems than containment are left out.
     */
    public SortedMap<String, String> paths(ResourceGraph graph, ResourceSet r) {
        SortedMap<String, String> found = new TreeMap<>();
        Paths paths = new Paths(graph, r);
        places.getOrDefault(Extended.DOWN, new TreeMap<>()).forEach((path, ranks) -> {
            if (path.startsWith("/")) {
                found.put(path, path(paths, path, graph));
            } else if (!ranks.isEmpty() && !path.isEmpty()) {
                Idset left = ranks.intersect(r.ranks());
                left.forEach(rank -> found.put(r.hostOf(rank) + "/" + path, ""));
                // The levels between a node and its parts may come from the configuration, so the part may stand in the
                // node itself.
                for (String below : List.of(path, path.substring(path.lastIndexOf('/') + 1))) {
                    Idset.Builder seen = Idset.builder();
                    paths.below(left, below)
                            .forEach(vertex -> paths.locate(
                                    Idset.of(vertex),
                                    (rank, at) -> {
                                        found.put(r.hostOf(rank) + "/" + path, graph.givenPath(vertex));
                                        seen.add(rank);
                                    },
                                    absolute -> {}));
                    left = left.subtract(seen.build());
                }
            }
        });
        found.values().removeIf(NODE::equals);
        return found;
    }

    private static String path(Paths paths, String path, ResourceGraph graph) {
        Idset vertices = find(paths, path);
        if (vertices.isEmpty()) {
            return "";
        }
        int vertex = vertices.first();
        return graph.pool(vertex).type().equals(NODE) ? NODE : graph.givenPath(vertex);
    }

    /** Returns the vertices of a path; none if the graph does not have the path. */
    private static Idset find(Paths paths, String path) {
        try {
            return paths.find(path);
        } catch (UnknownPathException e) {
            return Idset.EMPTY;
        }
    }

    /** Returns the ranks of the hosts below the vertices outside of hosts that are marked "down". */
    public Idset ranksBelow(ResourceGraph graph, ResourceSet r) {
        Paths paths = new Paths(graph, r);
        Idset.Builder marked = Idset.builder();
        places.getOrDefault(Extended.DOWN, new TreeMap<>()).keySet().stream()
                .filter(path -> path.startsWith("/"))
                .forEach(path -> marked.addAll(find(paths, path)));
        Idset vertices = marked.build();
        Idset.Builder ranks = Idset.builder();
        if (!vertices.isEmpty()) {
            Idset nodes = graph.below(vertices, EdgeKind.CONTAINMENT).intersect(graph.nodesOf(r, r.ranks()));
            paths.locate(nodes, (rank, below) -> ranks.add(rank), absolute -> {});
        }
        return ranks.build();
    }

    /** Returns the ranks of the nodes that are marked "down" or have a part that is. */
    public Idset down() {
        Idset.Builder ranks = Idset.builder();
        places.getOrDefault(Extended.DOWN, new TreeMap<>()).values().forEach(ranks::addAll);
        return ranks.build();
    }

    /** Returns a sentence for each state except "up", which names the first places. */
    public List<String> remarks(ResourceSet r) {
        List<String> remarks = new ArrayList<>();
        places.forEach((state, paths) -> {
            List<String> names = new ArrayList<>();
            paths.forEach((path, ranks) -> {
                Idset some = ranks.intersect(r.ranks());
                if (ranks.isEmpty()) {
                    names.add(path);
                } else if (!some.isEmpty()) {
                    names.add(r.hostsOf(some).abridged() + (path.isEmpty() ? "" : "/" + path));
                }
            });
            int more = names.size() - MOST_NAMED;
            String named = String.join(", ", names.subList(0, Math.min(names.size(), MOST_NAMED)))
                    + (more > 0 ? " and " + more + " more" : "");
            if (!names.isEmpty() && !state.equals(Extended.UP)) {
                remarks.add("marked " + state + (state.equals(Extended.DOWN) ? " and not counted: " : " but counted: ")
                        + Text.shown(named));
            }
        });
        return remarks;
    }
}
