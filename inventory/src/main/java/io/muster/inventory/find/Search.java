package io.muster.inventory.find;

import io.muster.inventory.graph.Accumulator;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Visit;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A question for vertices: an expression, and the walk that visits the vertices (RFC 4).
 *
 * @param subsystem the subsystem to walk; null for all vertices, with {@code in} and {@code has} in containment
 * @param from the vertices at which the walk starts, usually one path; null for the whole subsystem
 * @param prune the vertices that satisfy it are visited, but not those below them; null for none
 * @param order order of the vertices; null for the order of the graph
 * @param best number of vertices with the highest scores to return; 0 for all vertices
 * @param by key whose number is the score; "" if best is 0
 */
public record Search(
        Expression expression,
        @Nullable String subsystem,
        @Nullable Expression from,
        @Nullable Expression prune,
        @Nullable Order order,
        int best,
        String by) {
    /** Whether a vertex comes before or after the vertices below it. */
    public enum Order {
        PRE("pre"),
        POST("post");

        private final String word;

        Order(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    /**
     * The vertices that were found.
     *
     * @param best the vertices with the highest scores, in descending order; empty if the question asks for no scores
     * @param ranks the ranks of the hosts to which the vertices belong or which they contain
     */
    public record Found(Idset vertices, List<Accumulator.Match> best, Idset ranks) {}

    public static Search all(Expression expression) {
        return new Search(expression, null, null, null, null, 0, "");
    }

    private String along() {
        return subsystem == null ? EdgeKind.CONTAINMENT : subsystem;
    }

    /**
     * Answers the question.
     *
     * @param r the R whose ranks the nodes of the graph stand for
     * @throws MalformedException if the question names something that the graph does not have
     */
    public Found in(ResourceGraph graph, ResourceSet r) {
        return in(graph, r, () -> {});
    }

    /**
     * Answers the question.
     *
     * @param step called before each term and each level of the walk; an exception that it throws ends the search
     */
    public Found in(ResourceGraph graph, ResourceSet r, Runnable step) {
        if (subsystem != null && !graph.subsystems().contains(subsystem)) {
            throw new MalformedException(
                    "subsystem",
                    subsystem,
                    0,
                    "there is no such subsystem; there are " + String.join(", ", graph.subsystems()));
        }
        Idset candidates = candidates(graph, r, step);
        Idset found = new Finder(graph, r, expression, step).find(along(), candidates);
        List<Accumulator.Match> matches = best == 0 ? List.of() : Score.by(by).best(graph, found, best);
        Idset vertices = best == 0 ? found : ids(matches);
        return new Found(vertices, matches, Hosts.ranks(graph, r, vertices, along()));
    }

    /** Returns the ranks of the hosts that {@code vertices} are, to which they belong, or which they contain or feed. */
    public static Idset hosts(ResourceGraph graph, ResourceSet r, Idset vertices) {
        return Hosts.ranks(graph, r, vertices, EdgeKind.CONTAINMENT);
    }

    /** Returns the path of a vertex that can be used in an expression. */
    public String path(ResourceGraph graph, int vertex) {
        return subsystem == null ? graph.address(vertex) : graph.address(vertex, subsystem);
    }

    /** Returns the vertices that the walk visits. */
    private Idset candidates(ResourceGraph graph, ResourceSet r, Runnable step) {
        if (from == null && prune == null) {
            return subsystem == null ? graph.all() : graph.in(subsystem);
        }
        Idset visited = from == null ? graph.tops(along()) : satisfying(from, graph, r, step);
        Idset pruned = prune == null ? Idset.EMPTY : satisfying(prune, graph, r, step);
        for (Idset open = visited; !open.isEmpty(); ) {
            step.run();
            Idset next = graph.children(open.subtract(pruned), along()).subtract(visited);
            visited = visited.union(next);
            open = next;
        }
        return visited;
    }

    private Idset satisfying(Expression which, ResourceGraph graph, ResourceSet r, Runnable step) {
        return new Finder(graph, r, which, step).find(along(), graph.all());
    }

    /** Returns the vertices that were found in the order asked for. */
    public List<Integer> ordered(ResourceGraph graph, Found found) {
        if (best > 0) {
            return found.best().stream().map(Accumulator.Match::vertex).toList();
        }
        Set<Integer> ordered = new LinkedHashSet<>();
        if (order != null) {
            walk(graph, found.vertices(), ordered);
        }
        found.vertices().forEach(ordered::add); // the walk does not reach vertices of other subsystems
        return List.copyOf(ordered);
    }

    /** Walks the graph down to the vertices that were found, and adds them in the order in which the walk reaches them. */
    private void walk(ResourceGraph graph, Idset found, Set<Integer> ordered) {
        Idset above = graph.above(found, along());
        Consumer<Visit> take = visit -> {
            if (found.contains(visit.vertex())) {
                ordered.add(visit.vertex());
            }
        };
        Walker.of(graph, along())
                .pruning(visit -> {
                    if (order == Order.PRE) {
                        take.accept(visit);
                    }
                    return above.contains(visit.vertex());
                })
                .walk(order == Order.POST ? take : visit -> {});
    }

    private static Idset ids(List<Accumulator.Match> matches) {
        Idset.Builder ids = Idset.builder();
        matches.forEach(match -> ids.add(match.vertex()));
        return ids.build();
    }
}
