package io.muster.inventory.graph;

import io.muster.inventory.idset.Idset;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits the vertices of one subsystem depth first (RFC 4, "Walker"): the pruning filter runs on the way down, the evaluating
 * filter on the way up. Every vertex is visited once, even if several edges lead to it.
 */
public final class Walker {
    private final ResourceGraph graph;
    private final String subsystem;
    private final @Nullable Idset starts;
    private final Predicate<Visit> pruning;

    /** @param starts null for the tops of the subsystem, which are found when the walk begins */
    private Walker(ResourceGraph graph, String subsystem, @Nullable Idset starts, Predicate<Visit> pruning) {
        this.graph = graph;
        this.subsystem = subsystem;
        this.starts = starts;
        this.pruning = pruning;
    }

    /**
     * Returns a walker that starts at the root of the subsystem and then at its other tops, if it has several
     * ({@link ResourceGraph#tops}). The walker visits nothing if the graph has no such subsystem.
     */
    public static Walker of(ResourceGraph graph, String subsystem) {
        return new Walker(graph, subsystem, null, visit -> true);
    }

    public Walker from(Idset vertices) {
        return new Walker(graph, subsystem, vertices, pruning);
    }

    /**
     * Returns this walker with a pruning filter.
     *
     * @param descend called before the vertices below a vertex are visited; if it returns false, those vertices are skipped,
     *     but not the vertex itself
     */
    public Walker pruning(Predicate<Visit> descend) {
        return new Walker(graph, subsystem, starts, descend);
    }

    /**
     * Walks the graph.
     *
     * @param evaluating called on every vertex after the vertices below it
     */
    public void walk(Consumer<Visit> evaluating) {
        BitSet seen = new BitSet();
        (starts == null ? graph.tops(subsystem) : starts).forEach(start -> {
            if (!seen.get(start)) { // where edges run both ways, tops lead to one another
                walk(start, seen, evaluating);
            }
        });
    }

    private void walk(int start, BitSet seen, Consumer<Visit> evaluating) {
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
