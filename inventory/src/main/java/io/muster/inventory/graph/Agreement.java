package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that an R does not contradict itself: that its graph in {@code scheduling} and its other members besides R_lite can
 * be read and name the same resources for each rank as R_lite. The check costs one walk of the graph.
 *
 * <p>Two differences are no contradiction, because Flux itself writes them: vertices of ranks that R_lite does not have, and
 * vertices without their children. {@code fluxion:jgf_shorthand} says that children are left out. Fluxion also leaves out
 * the children of a vertex that a job has as a whole, and does not say so; such a vertex is a leaf of the graph.
 */
public final class Agreement {
    private static final String SHORTHAND = "fluxion:jgf_shorthand";
    private static final String NODE = "node";
    private static final List<String> UNITS = List.of("core", "gpu");

    private final ResourceSet r;
    private final ResourceGraph graph;
    private final Problems problems;
    private final int[] parents;
    private final BitSet inner = new BitSet();
    /** For each vertex, the vertex of the node that it is or that contains it; -1 if there is none. */
    private final int[] nodes;

    private Agreement(ResourceSet r, ResourceGraph graph, Problems problems) {
        this.r = r;
        this.graph = graph;
        this.problems = problems;
        this.parents = new int[graph.size()];
        this.nodes = new int[graph.size()];
        Arrays.fill(parents, -1);
        Arrays.fill(nodes, -2);
        graph.forEachEdge((source, target, kind) -> {
            if (kind.subsystem().equals(EdgeKind.CONTAINMENT) && !kind.isOpposite()) {
                parents[target] = source;
                inner.set(source);
            }
        });
    }

    /**
     * Returns {@code r} if it does not contradict itself.
     *
     * @throws InvalidException with every contradiction at its JSON pointer
     */
    public static ResourceSet require(ResourceSet r) {
        Problems problems = new Problems();
        check(r, problems);
        problems.throwIfAny("R");
        return r;
    }

    /** Adds every contradiction to {@code problems}, at its JSON pointer. */
    public static void check(ResourceSet r, Problems problems) {
        JsonNode attributes = r.toSharedJson().path("attributes");
        if (!attributes.isMissingNode() && !attributes.isNull() && !attributes.isObject()) {
            problems.add("/attributes", "must be an object");
        }
        JsonNode scheduling = r.scheduling();
        if (scheduling == null) {
            return;
        }
        JsonNode writer = scheduling.path("writer");
        if (!scheduling.isObject()) {
            problems.add("/scheduling", "must be an object");
        } else if (!writer.isMissingNode() && !writer.isTextual()) {
            problems.add("/scheduling/writer", "must be a string");
        } else if (scheduling.has("graph") && isFluxion(writer)) {
            Problems found = new Problems();
            ResourceGraph graph = read(scheduling, found);
            found.warnings().forEach(p -> problems.warn(place(p), p.sentence()));
            found.errors().forEach(p -> problems.add(place(p), p.sentence()));
            boolean complete = !writer.asText().equals(SHORTHAND);
            if (found.isEmpty() && complete) {
                new Agreement(r, graph, problems).compare();
            }
        }
    }

    /** Returns whether Fluxion wrote the graph. A graph of another scheduler may have any form (RFC 20). */
    private static boolean isFluxion(JsonNode writer) {
        return writer.asText("fluxion").split(":", 2)[0].equals("fluxion");
    }

    private static ResourceGraph read(JsonNode scheduling, Problems problems) {
        try {
            return Jgf.read(Jgf.JSON.treeAsTokens(scheduling), problems);
        } catch (IOException e) {
            throw new UncheckedIOException("a tree in memory cannot fail to be read", e);
        }
    }

    private static String place(Problem problem) {
        return "/scheduling" + (problem.place().isEmpty() ? "/graph" : problem.place());
    }

    private void compare() {
        Set<String> holders = new HashSet<>(Set.of(NODE, "socket", "package", "numa", "numanode"));
        inner.stream().mapToObj(v -> graph.pool(v).type()).forEach(holders::add);
        holders.removeAll(UNITS);
        BitSet folded = new BitSet();
        boolean nodesFolded = false;
        long[][] counts = new long[UNITS.size()][graph.size()];
        for (int v = 0; v < graph.size(); v++) {
            Pool pool = graph.pool(v);
            int node = nodeOf(v);
            int unit = UNITS.indexOf(pool.type());
            if (unit >= 0 && node < 0) {
                return; // the graph gives places by paths instead of edges, so units cannot be counted
            }
            if (unit >= 0) {
                counts[unit][node] += pool.size();
            } else if (!inner.get(v) && holders.contains(pool.type())) {
                nodesFolded |= node < 0;
                folded.set(node < 0 ? graph.size() : node);
            }
        }
        compare(counts, folded, nodesFolded);
    }

    private int nodeOf(int vertex) {
        int top = vertex;
        while (top >= 0 && nodes[top] == -2) {
            nodes[top] = graph.pool(top).type().equals(NODE) ? top : -2;
            top = nodes[top] == -2 ? parents[top] : top;
        }
        int node = top < 0 ? -1 : nodes[top];
        for (int v = vertex; v >= 0 && nodes[v] == -2; v = parents[v]) {
            nodes[v] = node;
        }
        return node;
    }

    private void compare(long[][] counts, BitSet folded, boolean nodesFolded) {
        Map<Integer, Integer> byRank = new HashMap<>();
        boolean guessing = nodesByRank(byRank);
        for (Group group : r.groups()) {
            group.ranks().forEach(rank -> {
                Integer node = byRank.get(rank);
                if (node != null) {
                    compare(rank, node, group.children(), counts, folded.get(node));
                } else if (!nodesFolded && !guessing) {
                    problems.add(
                            "/scheduling/graph/nodes",
                            "no vertex stands for rank " + rank + " (" + r.hostOf(rank) + "), which R_lite has");
                }
            });
        }
    }

    private void compare(int rank, int node, Map<String, Idset> children, long[][] counts, boolean folded) {
        for (int unit = 0; unit < UNITS.size(); unit++) {
            String type = UNITS.get(unit);
            long given = counts[unit][node];
            long listed = children.getOrDefault(type, Idset.EMPTY).size();
            if ((given < listed && !folded) || (given > listed && ids(node, type) != listed)) {
                problems.add(
                        "/scheduling/graph/nodes/" + node,
                        graph.pool(node).name() + " has " + given + " of type " + type + " in the graph, and rank "
                                + rank + " has " + listed + " in R_lite");
            }
        }
    }

    /**
     * Returns the number of distinct ids of a type on a node. This is computed only for the few nodes whose number of
     * vertices differs from R_lite: each socket may number its cores from 0, and an R_lite made from such a graph names each
     * number once.
     */
    private long ids(int node, String type) {
        Set<Long> ids = new HashSet<>();
        long extraUnits = 0;
        for (int v = 0; v < graph.size(); v++) {
            Pool pool = graph.pool(v);
            if (nodes[v] == node && pool.type().equals(type)) {
                ids.add(pool.id());
                extraUnits += pool.size() - 1;
            }
        }
        return ids.size() + extraUnits;
    }

    /**
     * Finds the vertex of each rank: by the name of the host, because R may number its hosts anew and leave its graph as it
     * was; or by the rank, if no vertex has the name of a host.
     *
     * @return whether some vertex may stand for any of several ranks
     */
    private boolean nodesByRank(Map<Integer, Integer> byRank) {
        boolean guessing = false;
        boolean named = false;
        for (int v = 0; v < graph.size(); v++) {
            named |= graph.pool(v).type().equals(NODE)
                    && !r.ranksOf(graph.pool(v).name()).isEmpty();
        }
        for (int v = 0; v < graph.size(); v++) {
            if (!graph.pool(v).type().equals(NODE)) {
                continue;
            }
            Idset ranks = named ? r.ranksOf(graph.pool(v).name()) : r.ranks();
            int own = graph.rank(v);
            int rank = own >= 0 && ranks.contains(own) ? own : named && ranks.size() == 1 ? ranks.first() : -1;
            guessing |= rank < 0 && (named ? !ranks.isEmpty() : own < 0);
            Integer other = rank < 0 ? null : byRank.putIfAbsent(rank, v);
            if (other != null) {
                problems.add(
                        "/scheduling/graph/nodes/" + v,
                        "rank " + rank + " is both " + graph.pool(other).name() + " and "
                                + graph.pool(v).name());
            }
        }
        return guessing;
    }
}
