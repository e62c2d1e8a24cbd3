package io.muster.inventory.graph;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.problem.Text;
import io.muster.inventory.problem.UnknownPathException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds the vertices that paths name, and where they are below the nodes of a resource set. An object serves one request in one thread. A path is {@code /cluster0/rack1} or,
 * in another subsystem than containment, {@code power:/power0/pdu3}; a name in it may have brackets, as in {@code node[0-9]}.
 */
public final class Paths {
    /** The highest number of vertices, and of names in brackets, that the paths given to one object may name together. */
    static final int MOST = 1 << 17;

    /** The highest number of names in a path. A subsystem that is no hierarchy may have longer paths, in circles. */
    public static final int MOST_LEVELS = 1000;

    private final ResourceGraph graph;
    private final ResourceSet r;
    private final IntUnaryOperator ranks;
    private final Map<String, Map<String, Idset>> others = new HashMap<>();
    private int @Nullable [] nodes;
    private int named;

    public Paths(ResourceGraph graph, ResourceSet r) {
        this.graph = graph;
        this.r = r;
        this.ranks = graph.ranksIn(r);
    }

    /** Returns whether a text that a person typed is meant as a path, and not as a list of hosts. */
    public static boolean isPath(String text) {
        return text.startsWith("/") || text.indexOf(":/") > 0;
    }

    /** Receives the rank of a node and the path of a vertex below it, which is "" for the node itself. */
    @FunctionalInterface
    public interface Inside {
        void at(int rank, String below);
    }

    /**
     * Returns the vertices that a path names.
     *
     * @throws UnknownPathException if there are none; if the path has brackets, also if one of the names in them does not exist
     */
    public Idset find(String path) {
        boolean plain = path.startsWith("/");
        int slash = plain ? 0 : path.indexOf(":/") + 1;
        if (!plain && slash < 2) {
            throw new UnknownPathException(
                    Text.shown(path) + " is not a path: a path begins with / or with SUBSYSTEM:/");
        }
        String subsystem = plain ? EdgeKind.CONTAINMENT : path.substring(0, slash - 1);
        if (graph.root(subsystem) < 0) {
            throw new UnknownPathException(
                    "no vertex has the path " + Text.shown(path) + ": the graph has no subsystem "
                            + Text.shown(subsystem) + "; it has " + String.join(", ", graph.subsystems()));
        }
        if (path.chars().skip(slash).filter(c -> c == '/').count() > MOST_LEVELS) {
            throw new UnknownPathException(
                    "no vertex has the path " + Text.shown(path) + ": a path may have " + MOST_LEVELS + " levels");
        }
        Idset at = Idset.EMPTY;
        String above = "";
        for (String component : path.substring(slash + 1).split("/", -1)) {
            Set<String> names = names(path, component);
            Idset next = above.isEmpty() ? tops(subsystem, names) : below(at, names, subsystem);
            if (next.isEmpty() || !names.isEmpty()) {
                throw new UnknownPathException("no vertex has the path " + Text.shown(path) + ": "
                        + (above.isEmpty() ? "no path begins with /" : Text.shown(above) + " has no ")
                        + Text.shown(
                                names.isEmpty() ? component : names.iterator().next())
                        + (component.indexOf('[') < 0 ? "" : ": name in brackets only what exists"));
            }
            at = next;
            count(at.size() - 1, path);
            above += "/" + component;
        }
        return at;
    }

    private void count(int more, String path) {
        if (more > MOST - named) {
            throw new UnknownPathException("the request names more than " + MOST + " vertices at " + Text.shown(path)
                    + ": name fewer in each request, or give hosts as targets");
        }
        named += more;
    }

    private Set<String> names(String path, String component) {
        if (component.indexOf('[') < 0) {
            return new HashSet<>(List.of(component));
        }
        try {
            Hostlist names = Hostlist.parse(component);
            count(names.size(), path);
            return new HashSet<>(names.expand());
        } catch (MalformedException e) {
            throw new UnknownPathException(Text.shown(path) + " is not a path: " + e.getMessage());
        }
    }

    /** Returns the vertices without a parent that have one of the names, and removes the names that were found. */
    private Idset tops(String subsystem, Set<String> names) {
        Idset.Builder found = Idset.builder();
        Map<String, Idset> known = others.computeIfAbsent(subsystem + " -1", key -> {
            Map<String, Idset> tops = new HashMap<>();
            graph.tops(subsystem).forEach(v -> tops.merge(graph.pool(v).name(), Idset.of(v), Idset::union));
            return tops;
        });
        names.removeIf(name -> {
            found.addAll(known.getOrDefault(name, Idset.EMPTY));
            return known.containsKey(name);
        });
        return found.build();
    }

    /**
     * Returns the children of {@code parents} that have one of the names, and removes the names that were found. Returns none if
     * one of the parents has no such child.
     */
    private Idset below(Idset parents, Set<String> names, String subsystem) {
        Idset.Builder found = Idset.builder();
        Set<String> seen = new HashSet<>();
        BitSet having = new BitSet();
        for (String name : names) {
            r.ranksOf(name).forEach(rank -> {
                int node = nodes()[r.ranks().position(rank)];
                int parent = node < 0 ? -1 : graph.parent(node, subsystem);
                if (parent >= 0 && parents.contains(parent)) {
                    found.add(node);
                    seen.add(name);
                    having.set(parent);
                }
            });
        }
        if (seen.size() < names.size() || having.cardinality() < parents.size()) {
            boolean one = parents.size() == 1;
            parents.forEach(parent -> {
                Named child = (name, vertices) -> {
                    found.addAll(vertices);
                    seen.add(name);
                    having.set(parent);
                };
                if (one) {
                    Map<String, Idset> known =
                            others.computeIfAbsent(subsystem + " " + parent, key -> byName(parent, subsystem));
                    names.stream()
                            .filter(known::containsKey)
                            .forEach(name -> child.accept(name, known.getOrDefault(name, Idset.EMPTY)));
                } else {
                    graph.forEachChild(parent, subsystem, v -> {
                        String name = graph.pool(v).name();
                        if (names.contains(name)) {
                            child.accept(name, Idset.of(v));
                        }
                    });
                }
            });
        }
        names.removeAll(seen);
        return having.cardinality() < parents.size() ? Idset.EMPTY : found.build();
    }

    private interface Named {
        void accept(String name, Idset vertices);
    }

    /** Returns the children of a vertex by name, without the nodes that are found by the name of their host. */
    private Map<String, Idset> byName(int parent, String subsystem) {
        Map<String, Idset> children = new HashMap<>();
        graph.forEachChild(parent, subsystem, v -> {
            if (rankOf(v) < 0) {
                children.merge(graph.pool(v).name(), Idset.of(v), Idset::union);
            }
        });
        return children;
    }

    /** Returns the vertices of the nodes by the position of their rank in R; -1 for a rank without a vertex. */
    private int[] nodes() {
        int[] known = nodes;
        if (known == null) {
            int[] found = new int[r.ranks().size()];
            Arrays.fill(found, -1);
            graph.nodesOf(r, r.ranks()).forEach(v -> {
                int at = r.ranks().position(ranks.applyAsInt(v));
                found[at] = found[at] < 0 ? v : found[at];
            });
            nodes = found;
            known = found;
        }
        return known;
    }

    /** Returns the rank whose node the vertex is; -1 if it is no node, or not the first node of the rank. */
    private int rankOf(int vertex) {
        int rank = ranks.applyAsInt(vertex);
        return rank >= 0 && r.ranks().contains(rank) && nodes()[r.ranks().position(rank)] == vertex ? rank : -1;
    }

    /**
     * Reports where vertices are: in a node, or at an absolute path.
     */
    public void locate(Idset vertices, Inside inside, Consumer<String> outside) {
        vertices.forEach(vertex -> {
            Deque<String> names = new ArrayDeque<>();
            int at = vertex;
            int rank = rankOf(at);
            for (int steps = 0; at >= 0 && rank < 0 && steps < MOST_LEVELS; steps++) {
                names.addFirst(graph.pool(at).name());
                at = graph.parent(at, EdgeKind.CONTAINMENT);
                rank = at < 0 ? -1 : rankOf(at);
            }
            if (rank >= 0) {
                inside.at(rank, String.join("/", names));
            } else {
                outside.accept(graph.address(vertex));
            }
        });
    }

    /** Returns the vertices at a path below the nodes of some ranks, as far as there are any. */
    public Idset below(Idset ofRanks, String path) {
        Idset at = graph.nodesOf(r, ofRanks);
        for (String name : path.isEmpty() ? new String[0] : path.split("/", -1)) {
            at = graph.children(at, EdgeKind.CONTAINMENT, name);
        }
        return at;
    }
}
