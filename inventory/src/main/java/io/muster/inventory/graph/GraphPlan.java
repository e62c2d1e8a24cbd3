package io.muster.inventory.graph;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Problems;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * How the {@code [[graph]]} entries of a configuration form one graph with the hosts of an R. An entry without {@code in}
 * stands at the root of its subsystem, unless another entry holds it. An entry of subsystem containment whose {@code in} leads
 * to {@code node} describes parts of nodes; all others describe vertices above the nodes.
 */
final class GraphPlan {
    static final String CLUSTER = "cluster";
    static final String NODE = "node";

    /** Types that R, requests or Muster give a meaning. */
    private static final Set<String> RESERVED = Set.of(NODE, "core", "gpu", "slot");

    private static final int MAX_LEVELS = 40;
    private static final int MAX_PARTS = 1 << 16;

    private final List<GraphEntry> entries;
    private final Problems problems;
    private final List<GraphEntry> order = new ArrayList<>();
    private final Map<GraphEntry, Integer> levels = new HashMap<>();
    private final Set<GraphEntry> inside = new LinkedHashSet<>();
    private final Map<GraphEntry, Long> totals = new HashMap<>();

    private GraphPlan(List<GraphEntry> entries, Problems problems) {
        this.entries = entries;
        this.problems = problems;
    }

    /** Returns the plan of {@code entries}. If a problem is added, the plan is meaningless. */
    static GraphPlan of(List<GraphEntry> entries, Problems problems) {
        GraphPlan plan = new GraphPlan(entries, problems);
        plan.arrange();
        if (problems.isEmpty()) {
            plan.order.forEach(plan::check);
            plan.refuseTwoParents();
            plan.refuseTwins();
        }
        return plan;
    }

    /** Returns the entries above the nodes, or those in nodes, each after the entries above it. */
    List<GraphEntry> order(boolean inNodes) {
        return order.stream()
                .filter(e -> inside.contains(e) == inNodes && !isCluster(e))
                .toList();
    }

    /** Returns the number of vertices of an entry or, for parts of nodes, the number in one node. */
    int total(GraphEntry entry) {
        return totals.getOrDefault(entry, 0L).intValue();
    }

    static boolean isCluster(GraphEntry entry) {
        return isContainment(entry) && entry.kind().type().equals(CLUSTER);
    }

    static boolean isContainment(GraphEntry entry) {
        return entry.relation().subsystem().equals(EdgeKind.CONTAINMENT);
    }

    /** Returns whether the entry names no type above it other than the root. */
    private static boolean isTop(GraphEntry entry) {
        String in = entry.position().in();
        return in.isEmpty() || (isContainment(entry) && in.equals(CLUSTER));
    }

    /** Returns the entries that the key {@code in} of the entry names. */
    List<GraphEntry> parents(GraphEntry entry) {
        return isTop(entry)
                ? List.of()
                : entries.stream()
                        .filter(e -> e.kind().type().equals(entry.position().in()) && isSameSubsystem(e, entry))
                        .toList();
    }

    private static boolean isSameSubsystem(GraphEntry a, GraphEntry b) {
        return a.relation().subsystem().equals(b.relation().subsystem());
    }

    /** Returns the entries above the nodes that the key {@code holds} of an entry above the nodes names. */
    List<GraphEntry> held(GraphEntry entry, String type) {
        return entries.stream()
                .filter(e -> e.kind().type().equals(type)
                        && !inside.contains(e)
                        && !isCluster(e)
                        && (isContainment(e) || isSameSubsystem(e, entry)))
                .toList();
    }

    /** Returns whether no other entry is above this one in its own subsystem. */
    boolean isOutermost(GraphEntry entry) {
        return isTop(entry) && holders(entry).isEmpty();
    }

    private List<GraphEntry> holders(GraphEntry entry) {
        return entries.stream()
                .filter(e -> isSameSubsystem(e, entry)
                        && e.position().holds().contains(entry.kind().type()))
                .toList();
    }

    /**
     * Puts every entry after the entries above it. An entry for which this is impossible is above itself, directly or through
     * other entries.
     */
    private void arrange() {
        List<GraphEntry> waiting = new ArrayList<>(entries);
        boolean moved = true;
        while (moved && !waiting.isEmpty()) {
            moved = false;
            for (GraphEntry entry : List.copyOf(waiting)) {
                List<GraphEntry> above = new ArrayList<>(parents(entry));
                above.addAll(holders(entry));
                if (levels.keySet().containsAll(above)) {
                    waiting.remove(entry);
                    moved = true;
                    arrange(entry, above);
                }
            }
        }
        waiting.forEach(entry ->
                problem(entry, "type", entry.kind().type() + " contains itself, directly or through other entries"));
    }

    private void arrange(GraphEntry entry, List<GraphEntry> above) {
        int level = 1
                + above.stream().mapToInt(e -> levels.getOrDefault(e, 0)).max().orElse(0);
        levels.put(entry, level);
        order.add(entry);
        if (level > MAX_LEVELS) {
            problem(entry, "type", "is at level " + level + " of its subsystem; the limit is " + MAX_LEVELS);
        }
        List<GraphEntry> parents = parents(entry);
        boolean inNode = isContainment(entry) && entry.position().in().equals(NODE);
        long inner = parents.stream().filter(inside::contains).count();
        if (!parents.isEmpty() && inner > 0 && (inNode || inner < parents.size())) {
            problem(entry, "in", entry.position().in() + " is both above the nodes and in them");
        } else if (!inNode && !isTop(entry) && parents.isEmpty()) {
            problem(
                    entry,
                    "in",
                    "no entry of subsystem " + entry.relation().subsystem() + " has the type "
                            + entry.position().in());
        }
        if (inNode || inner > 0) {
            inside.add(entry);
        }
        count(entry, parents);
    }

    private void count(GraphEntry entry, List<GraphEntry> parents) {
        Hostlist names = entry.naming().names();
        long above =
                parents.isEmpty() ? 1 : parents.stream().mapToLong(this::total).sum();
        long total = names.isEmpty() ? entry.naming().count() * above : names.size();
        boolean inNodes = inside.contains(entry);
        int most = inNodes ? MAX_PARTS : Hostlist.MAX_HOSTS;
        long sum = total;
        for (Map.Entry<GraphEntry, Long> other : totals.entrySet()) {
            sum += inside.contains(other.getKey()) == inNodes ? other.getValue() : 0;
        }
        if (sum > most) {
            problem(
                    entry,
                    "count",
                    "this makes " + sum + (inNodes ? " parts in a node" : " vertices above the nodes")
                            + "; the limit is " + most);
        }
        totals.put(entry, Math.min(total, most));
    }

    private void check(GraphEntry entry) {
        GraphEntry.Position position = entry.position();
        String type = entry.kind().type();
        if (RESERVED.contains(type)) {
            problem(entry, "type", "an entry cannot add vertices of type " + type + ": they are those of R");
        }
        if (isCluster(entry)
                && (!position.equals(new GraphEntry.Position("", Hostlist.EMPTY, List.of(), 0))
                        || total(entry) != 1
                        || !holders(entry).isEmpty())) {
            problem(
                    entry,
                    "type",
                    "cluster is the root: an entry for it may give one name, and neither in, holds, each, hosts nor a"
                            + " subsystem");
        }
        if (position.each() > 0
                && position.holds().isEmpty()
                && (position.hosts().isEmpty() || inside.contains(entry))) {
            problem(entry, "each", "needs hosts or holds: it says how many of them each vertex gets");
        }
        if (inside.contains(entry)) {
            checkInside(entry);
            return;
        }
        checkPlaces(entry, "hosts", position.hosts().size());
        for (String held : position.holds()) {
            List<GraphEntry> vertices = held(entry, held);
            if (vertices.isEmpty()) {
                problem(
                        entry,
                        "holds",
                        held.equals(NODE)
                                ? "name the nodes with the key hosts, so that they keep their places if R changes"
                                : "no entry above the nodes has the type " + held);
            }
            checkPlaces(entry, "holds", vertices.stream().mapToLong(this::total).sum());
        }
    }

    private void checkPlaces(GraphEntry entry, String key, long held) {
        long places = (long) total(entry) * entry.position().each();
        if (places > 0 && places < held) {
            problem(
                    entry,
                    key,
                    "names " + held + ", but " + total(entry) + " x "
                            + entry.position().each() + " have only " + places + " places");
        }
    }

    private void checkInside(GraphEntry entry) {
        if (!isContainment(entry)) {
            problem(entry, "subsystem", "parts of nodes are in containment only");
        }
        for (String held : entry.position().holds()) {
            if (entries.stream().anyMatch(e -> e.kind().type().equals(held))) {
                problem(entry, "holds", "write in = \"" + entry.kind().type() + "\" in the entry of type " + held);
            }
        }
    }

    /** Refuses a vertex that two entries contain in one subsystem. In a flow, such as power from two sides, it is legal. */
    private void refuseTwoParents() {
        Map<List<Object>, List<GraphEntry>> holding = new HashMap<>();
        Map<String, Hostlist> hosts = new HashMap<>();
        for (GraphEntry entry : entries) {
            String subsystem = entry.relation().subsystem();
            boolean inNodes = inside.contains(entry);
            boolean shared = !entry.relation().isContains();
            Hostlist own = entry.position().hosts();
            if (!inNodes && !shared) {
                Hostlist earlier = hosts.getOrDefault(subsystem, Hostlist.EMPTY);
                refuseShared(entry, "hosts", earlier, own);
                hosts.put(subsystem, earlier.append(own));
            }
            for (String type : entry.position().holds()) {
                List<GraphEntry> earlier =
                        holding.computeIfAbsent(List.of(subsystem, type, inNodes), k -> new ArrayList<>());
                if (!shared
                        && earlier.stream()
                                .anyMatch(e -> !inNodes || overlap(e.position().hosts(), own))) {
                    problem(entry, "holds", type + " is held by an earlier entry already");
                }
                earlier.add(entry);
                if (!inNodes && held(entry, type).stream().anyMatch(e -> isSameSubsystem(e, entry) && !isTop(e))) {
                    problem(entry, "holds", type + " has a place already, given by the key in of its own entry");
                }
            }
        }
    }

    /** Refuses two vertices that have one name below one vertex. */
    private void refuseTwins() {
        Map<List<String>, List<GraphEntry>> siblings = new HashMap<>();
        for (GraphEntry entry : entries) {
            List<String> place = List.of(
                    entry.relation().subsystem(),
                    isTop(entry) ? "" : entry.position().in());
            List<GraphEntry> earlier = siblings.computeIfAbsent(place, k -> new ArrayList<>());
            for (GraphEntry other : earlier) {
                if (!inside.contains(entry)
                        || overlap(other.position().hosts(), entry.position().hosts())) {
                    refuseShared(entry, "names", names(other), names(entry));
                }
            }
            earlier.add(entry);
        }
    }

    private static Hostlist names(GraphEntry entry) {
        Hostlist names = entry.naming().names();
        return names.isEmpty()
                ? Hostlist.parse(entry.kind().type() + "[0-" + (entry.naming().count() - 1) + "]")
                : names;
    }

    private static boolean overlap(Hostlist a, Hostlist b) {
        return a.isEmpty() || b.isEmpty() || !a.indexesOf(b).isEmpty();
    }

    private void refuseShared(GraphEntry entry, String key, Hostlist earlier, Hostlist own) {
        Hostlist shared = own.isEmpty() || earlier.isEmpty() ? Hostlist.EMPTY : own.select(own.indexesOf(earlier));
        if (!shared.isEmpty()) {
            problem(
                    entry,
                    key,
                    shared.abridged() + (shared.size() == 1 ? " is" : " are") + " in an earlier entry already");
        }
    }

    private void problem(GraphEntry entry, String key, String sentence) {
        problems.add(entry.place() + "/" + key, sentence);
    }
}
