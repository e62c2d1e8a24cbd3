package io.muster.inventory.feasibility;

import io.muster.inventory.request.Resource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Tries every assignment of a request to a small tree, unit by unit: slow, but simple enough to be a reference. */
final class BruteForce {
    static final class Vertex {
        final String type;
        final List<Vertex> children = new ArrayList<>();
        int left;

        Vertex(String type, int size) {
            this.type = type;
            this.left = size;
        }

        Vertex add(Vertex child) {
            children.add(child);
            return this;
        }

        List<Vertex> below() {
            List<Vertex> all = new ArrayList<>();
            for (Vertex child : children) {
                all.add(child);
                all.addAll(child.below());
            }
            return all;
        }
    }

    /** Tries after which an instance counts as too large to judge. */
    private static final int LIMIT = 400_000;

    private record Task(Resource item, Vertex scope, boolean inHost) {}

    static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Set<Vertex> taken = new HashSet<>();
    private int tries;

    boolean fits(List<Resource> list, Vertex root) {
        Deque<Task> tasks = new ArrayDeque<>();
        push(list, root, false, tasks);
        return solve(tasks);
    }

    private static void push(List<Resource> list, Vertex scope, boolean inHost, Deque<Task> tasks) {
        for (Resource item : list) {
            for (int i = 0; i < item.count().min(); i++) {
                tasks.push(new Task(item, scope, inHost));
            }
        }
    }

    private boolean solve(Deque<Task> tasks) {
        if (tasks.isEmpty()) {
            return true;
        }
        if (++tries > LIMIT) {
            throw new TooLargeException();
        }
        Deque<Task> rest = new ArrayDeque<>(tasks);
        Task task = rest.pop();
        Resource item = task.item();
        if (item.isSlot()) {
            return slot(task, rest);
        }
        for (Vertex v : task.scope().below()) {
            if (v.type.equals(item.type())) {
                boolean structure = !item.with().isEmpty() || !v.children.isEmpty() || v.type.equals("node");
                if (structure ? structure(task, v, rest) : unit(v, rest)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean slot(Task task, Deque<Task> rest) {
        Resource item = task.item();
        if (task.inHost() || spans(item)) {
            return with(item, task.scope(), task.inHost(), rest);
        }
        for (Vertex v : task.scope().below()) {
            if (v.type.equals("node") && with(item, v, true, rest)) {
                return true;
            }
        }
        return false;
    }

    private static boolean spans(Resource item) {
        return Set.of("node", "rack", "cluster").contains(item.type())
                || (item.isSlot() && item.with().stream().anyMatch(BruteForce::spans));
    }

    private boolean with(Resource item, Vertex scope, boolean inHost, Deque<Task> rest) {
        Deque<Task> more = new ArrayDeque<>(rest);
        push(item.with(), scope, inHost, more);
        return solve(more);
    }

    private boolean structure(Task task, Vertex v, Deque<Task> rest) {
        if (!taken.add(v)) {
            return false;
        }
        boolean fits = with(task.item(), v, task.inHost() || v.type.equals("node"), rest);
        if (!fits) {
            taken.remove(v);
        }
        return fits;
    }

    private boolean unit(Vertex v, Deque<Task> rest) {
        if (v.left == 0) {
            return false;
        }
        v.left--;
        boolean fits = solve(rest);
        v.left++;
        return fits;
    }
}
