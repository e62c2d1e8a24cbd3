package io.muster.inventory.graph;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.Pointer;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Group;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.SchedulingGraph;
import io.muster.inventory.rset.TreePool;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks that an R does not contradict itself: that its graph in {@code scheduling} and its other members besides R_lite can
 * be read and name the same resources for each rank as R_lite. The check costs one walk of the graph. It is made where an R enters: by
 * the configuration, by {@code resource.reload}, and by the commands {@code reload} and {@code rset encode}, on the thread that has read
 * the file. The replay of a journal does not make it.
 *
 * <p>Two differences are no contradiction, because Flux itself writes them: vertices of ranks that R_lite does not have, and
 * vertices without their children. The writer {@code fluxion:jgf_shorthand} indicates that children are left out. Fluxion also
 * leaves out the children of a vertex that a job has as a whole, without an indication; such a vertex is a leaf of the graph.
 */
public final class Agreement {
    private static final String SHORTHAND = "fluxion:jgf_shorthand";
    private static final List<String> UNITS = List.of("core", "gpu");

    private final ResourceSet r;
    private final SchedulingGraph graph;
    private final Problems problems;

    private Agreement(ResourceSet r, SchedulingGraph graph, Problems problems) {
        this.r = r;
        this.graph = graph;
        this.problems = problems;
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
        attributes(r.toSharedJson().path("attributes"), problems);
        RawJson scheduling = r.scheduling();
        if (scheduling == null) {
            return;
        }
        JsonNode outline = scheduling.outline();
        JsonNode writer = outline.path("writer");
        if (!outline.isObject()) {
            problems.add("/scheduling", "must be an object");
        } else if (!writer.isMissingNode() && !writer.isTextual()) {
            problems.add("/scheduling/writer", "must be a string");
        } else if (TreePool.isWriterOf(scheduling)) {
            TreePool.check(r, problems);
        } else if (outline.has("graph") && SchedulingGraph.isOfFluxion(scheduling)) {
            Problems found = new Problems();
            Jgf.read(scheduling, found, 1);
            found.warnings().forEach(p -> problems.warn(place(p), p.sentence()));
            found.errors().forEach(p -> problems.add(place(p), p.sentence()));
            SchedulingGraph graph = found.isEmpty() ? SchedulingGraph.read(scheduling, found) : null;
            if (graph != null && !writer.asText().equals(SHORTHAND)) {
                new Agreement(r, graph, problems).compare();
            }
        }
    }

    /** Checks the key {@code attributes} of RFC 20 of 2023: a dictionary whose only key is {@code system}, a dictionary. */
    private static void attributes(JsonNode attributes, Problems problems) {
        if (!attributes.isMissingNode() && !attributes.isNull() && !attributes.isObject()) {
            problems.add("/attributes", "must be an object");
        }
        attributes.properties().forEach(e -> {
            if (!e.getKey().equals("system")) {
                problems.add(
                        Pointer.of("/attributes", e.getKey()), "is not a key of RFC 20, which has only system here");
            } else if (!e.getValue().isObject()) {
                problems.add("/attributes/system", "must be an object");
            } else if (e.getValue().has("scheduler")
                    && !e.getValue().get("scheduler").isObject()) {
                problems.add("/attributes/system/scheduler", "must be an object");
            }
        });
    }

    private static String place(Problem problem) {
        return "/scheduling" + (problem.place().isEmpty() ? "/graph" : problem.place());
    }

    private void compare() {
        Set<String> holders = new HashSet<>(Set.of(SchedulingGraph.NODE, "socket", "package", "numa", "numanode"));
        BitSet inner = new BitSet();
        for (int v = 0; v < graph.size(); v++) {
            if (graph.parent(v) >= 0) {
                inner.set(graph.parent(v));
                holders.add(graph.vertex(graph.parent(v)).type());
            }
        }
        holders.removeAll(UNITS);
        BitSet folded = new BitSet();
        boolean nodesFolded = false;
        long[][] counts = new long[UNITS.size()][graph.size()];
        for (int v = 0; v < graph.size(); v++) {
            int node = graph.node(v);
            int unit = UNITS.indexOf(graph.vertex(v).type());
            if (unit >= 0 && node < 0) {
                return; // the unit may belong to any rank, or to none
            }
            if (unit >= 0) {
                counts[unit][node] += graph.vertex(v).size();
            } else if (!inner.get(v) && holders.contains(graph.vertex(v).type())) {
                nodesFolded |= node < 0;
                folded.set(node < 0 ? graph.size() : node);
            }
        }
        compare(counts, folded, nodesFolded);
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
                        graph.vertex(node).name() + " has " + given + " of type " + type + " in the graph, and rank "
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
            if (graph.node(v) == node && graph.vertex(v).type().equals(type)) {
                ids.add(graph.vertex(v).id());
                extraUnits += graph.vertex(v).size() - 1;
            }
        }
        return ids.size() + extraUnits;
    }

    /** Finds the vertex of each rank. Returns whether some vertex may stand for any of several ranks. */
    private boolean nodesByRank(Map<Integer, Integer> byRank) {
        boolean[] guessing = {false};
        boolean named = graph.namesHosts(r);
        graph.nodes().stream().forEach(v -> {
            Idset ranks = graph.ranksOf(v, r, named);
            guessing[0] |= ranks.size() > 1 || (!named && graph.vertex(v).rank() < 0);
            Integer other = ranks.size() == 1 ? byRank.putIfAbsent(ranks.first(), v) : null;
            if (other != null) {
                problems.add(
                        "/scheduling/graph/nodes/" + v,
                        "rank " + ranks + " is both " + graph.vertex(other).name() + " and "
                                + graph.vertex(v).name());
            }
        });
        return guessing[0];
    }
}
