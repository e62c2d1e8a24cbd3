package io.muster.inventory.axis;

import io.muster.inventory.idset.Idset;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The times at which holds end by themselves, each with the ranks whose hold ends then. Times are exact, so that a timer for
 * the first time never fires early. The ranks are in a treap: an immutable search tree whose shape depends only on its times,
 * so that one change costs the logarithm of the number of times, for any order in which they were added.
 */
final class Deadlines {
    static final Deadlines NONE = new Deadlines(null);

    private final @Nullable Node root;

    private Deadlines(@Nullable Node root) {
        this.root = root;
    }

    /** Returns the first time; 0 if there is none. */
    double earliest() {
        if (root == null) {
            return 0;
        }
        Node first = root;
        while (first.before != null) {
            first = first.before;
        }
        return first.at;
    }

    /** Returns the ranks of every time up to and including {@code time}. */
    Idset until(double time) {
        Idset.Builder found = Idset.builder();
        Node.addUntil(root, time, found);
        return found.build();
    }

    Deadlines with(double at, Idset ranks) {
        return new Deadlines(Node.update(root, at, scheduled -> scheduled.union(ranks)));
    }

    Deadlines without(double at, Idset ranks) {
        return new Deadlines(Node.update(root, at, scheduled -> scheduled.subtract(ranks)));
    }

    private record Node(
            double at,
            Idset ranks,
            @Nullable Node before,
            @Nullable Node after) {
        static void addUntil(@Nullable Node tree, double time, Idset.Builder found) {
            if (tree != null) {
                addUntil(tree.before, time, found);
                if (tree.at <= time) {
                    found.addAll(tree.ranks);
                    addUntil(tree.after, time, found);
                }
            }
        }

        static @Nullable Node update(@Nullable Node tree, double at, UnaryOperator<Idset> change) {
            if (tree == null) {
                return leaf(at, change);
            }
            if (tree.at == at) {
                Idset ranks = change.apply(tree.ranks);
                return ranks.isEmpty() ? join(tree.before, tree.after) : new Node(at, ranks, tree.before, tree.after);
            }
            return at < tree.at
                    ? balanced(tree, update(tree.before, at, change), tree.after)
                    : balanced(tree, tree.before, update(tree.after, at, change));
        }

        private static @Nullable Node leaf(double at, UnaryOperator<Idset> change) {
            Idset ranks = change.apply(Idset.EMPTY);
            return ranks.isEmpty() ? null : new Node(at, ranks, null, null);
        }

        /** Returns {@code root} over two new subtrees, of which at most one has a root that belongs above {@code root}. */
        private static Node balanced(Node root, @Nullable Node before, @Nullable Node after) {
            if (before != null && before.priority() > root.priority()) {
                Node lower = new Node(root.at, root.ranks, before.after, after);
                return new Node(before.at, before.ranks, before.before, lower);
            }
            if (after != null && after.priority() > root.priority()) {
                Node lower = new Node(root.at, root.ranks, before, after.before);
                return new Node(after.at, after.ranks, lower, after.after);
            }
            return new Node(root.at, root.ranks, before, after);
        }

        private static @Nullable Node join(@Nullable Node before, @Nullable Node after) {
            if (before == null || after == null) {
                return before == null ? after : before;
            }
            return before.priority() > after.priority()
                    ? new Node(before.at, before.ranks, before.before, join(before.after, after))
                    : new Node(after.at, after.ranks, join(before, after.before), after.after);
        }

        /** Returns a priority whose order is independent of the order of the times: a hash of the bits of the time. */
        private long priority() {
            long bits = Double.doubleToLongBits(at) * 0x9E3779B97F4A7C15L;
            return (bits ^ (bits >>> 32)) * 0xD6E8FEB86659FD93L;
        }
    }
}
