package io.muster.inventory.graph;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Visits the vertices of one subsystem depth first (RFC 4, "Walker"): the pruning filter runs on the way down, the evaluating
 * filter on the way up. Every vertex is visited once, even if several edges lead to it.
 */
public final class Walker {
    private final ResourceGraph graph;
    private final String subsystem;
    private final int start;
    private final Predicate<Visit> pruning;

    private Walker(ResourceGraph graph, String subsystem, int start, Predicate<Visit> pruning) {
        this.graph = graph;
        this.subsystem = subsystem;
        this.start = start;
        this.pruning = pruning;
    }

    /**
     * Returns a walker that starts at the root of the subsystem. The walker visits nothing if the graph has no such
     * subsystem.
     */
    public static Walker of(ResourceGraph graph, String subsystem) {
        return new Walker(graph, subsystem, graph.root(subsystem), visit -> true);
    }

    public Walker from(int vertex) {
        return new Walker(graph, subsystem, vertex, pruning);
    }

    /**
     * Returns this walker with a pruning filter.
     *
     * @param descend called before the vertices below a vertex are visited; if it returns false, those vertices are skipped,
     *     but not the vertex itself
     */
    public Walker pruning(Predicate<Visit> descend) {
        return new Walker(graph, subsystem, start, descend);
    }

    /**
     * Walks the graph.
     *
     * @param evaluating called on every vertex after the vertices below it
     */
    public void walk(Consumer<Visit> evaluating) {
        if (start < 0) {
            return;
        }
        BitSet seen = new BitSet();
        Deque<Object> stack = new ArrayDeque<>();
        stack.push(new Visit(graph, subsystem, start, 0));
        seen.set(start);
        while (!stack.isEmpty()) {
            Object top = stack.pop();
            if (top instanceof Done done) {
                evaluating.accept(done.visit());
            } else {
                Visit visit = (Visit) top;
                stack.push(new Done(visit));
                if (pruning.test(visit)) {
                    pushChildren(visit, seen, stack);
                }
            }
        }
    }

    private record Done(Visit visit) {}

    private void pushChildren(Visit visit, BitSet seen, Deque<Object> stack) {
        Deque<Visit> children = new ArrayDeque<>();
        graph.forEachChild(visit.vertex(), subsystem, child -> {
            if (!seen.get(child)) {
                seen.set(child);
                children.push(new Visit(graph, subsystem, child, visit.depth() + 1));
            }
        });
        children.forEach(stack::push);
    }
}
