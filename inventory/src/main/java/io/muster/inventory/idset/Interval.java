package io.muster.inventory.idset;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A node of the tree in which {@link IdMap} keeps its intervals. The tree is immutable, height-balanced (AVL) and built by
 * joins (Blelloch, Ferizovic and Sun, "Just Join for Parallel Ordered Sets", 2016). A null reference is the empty tree. Two
 * neighbours never touch with equal values.
 */
final class Interval<V> {
    final int first;
    final int last;
    final V value;
    final @Nullable Interval<V> left;
    final @Nullable Interval<V> right;
    private final int height;

    private Interval(int first, int last, V value, @Nullable Interval<V> left, @Nullable Interval<V> right) {
        this.first = first;
        this.last = last;
        this.value = value;
        this.left = left;
        this.right = right;
        this.height = 1 + Math.max(height(left), height(right));
    }

    static <V> void forEach(@Nullable Interval<V> tree, IntervalConsumer<V> c) {
        if (tree != null) {
            forEach(tree.left, c);
            c.accept(tree.first, tree.last, tree.value);
            forEach(tree.right, c);
        }
    }

    /** Visits the intervals between {@code from} and {@code to}. Intervals that reach beyond these bounds are cut. */
    static <V> void forEachWithin(@Nullable Interval<V> tree, int from, int to, IntervalConsumer<V> c) {
        if (tree == null) {
            return;
        }
        if (from < tree.first) {
            forEachWithin(tree.left, from, to, c);
        }
        if (from <= tree.last && to >= tree.first) {
            c.accept(Math.max(from, tree.first), Math.min(to, tree.last), tree.value);
        }
        if (to > tree.last) {
            forEachWithin(tree.right, from, to, c);
        }
    }

    /**
     * Replaces the value of every id in {@code ranges} by the result of {@code f} for it. The method halves the ranges and
     * the tree together, which costs O(m log(n/m + 1)) for m ranges.
     */
    static <V> @Nullable Interval<V> update(@Nullable Interval<V> tree, Ranges ranges, UnaryOperator<@Nullable V> f) {
        if (ranges.isEmpty()) {
            return tree;
        }
        int first = ranges.first();
        int last = ranges.last();
        Interval<V> below = update(before(tree, first), ranges.below(), f);
        Interval<V> inside = rewrite(before(after(tree, first - 1), last + 1), first, last, f);
        Interval<V> above = update(after(tree, last), ranges.above(), f);
        return concat(concat(below, inside), above);
    }

    /** Applies {@code f} to each interval of {@code tree}, and with null to each gap between them within first..last. */
    private static <V> @Nullable Interval<V> rewrite(
            @Nullable Interval<V> tree, int first, int last, UnaryOperator<@Nullable V> f) {
        Rewrite<V> rewrite = new Rewrite<>(first, f);
        forEach(tree, rewrite);
        rewrite.gapUpTo(last + 1);
        return rewrite.result;
    }

    private static <V> @Nullable Interval<V> before(@Nullable Interval<V> tree, int bound) {
        if (tree == null) {
            return null;
        }
        if (tree.first >= bound) {
            return before(tree.left, bound);
        }
        int last = Math.min(tree.last, bound - 1);
        return join(tree.left, tree.first, last, tree.value, before(tree.right, bound));
    }

    private static <V> @Nullable Interval<V> after(@Nullable Interval<V> tree, int bound) {
        if (tree == null) {
            return null;
        }
        if (tree.last <= bound) {
            return after(tree.right, bound);
        }
        int first = Math.max(tree.first, bound + 1);
        return join(after(tree.left, bound), first, tree.last, tree.value, tree.right);
    }

    /** Concatenates two trees. If they touch and the values there are equal, the two intervals are joined. */
    private static <V> @Nullable Interval<V> concat(@Nullable Interval<V> low, @Nullable Interval<V> high) {
        if (low == null || high == null) {
            return low == null ? high : low;
        }
        Interval<V> a = rightmost(low);
        Interval<V> b = leftmost(high);
        Interval<V> lower = before(low, a.first);
        if (a.last + 1 == b.first && Objects.equals(a.value, b.value)) {
            return join(lower, a.first, b.last, a.value, after(high, b.last));
        }
        return join(lower, a.first, a.last, a.value, high);
    }

    private static <V> Interval<V> rightmost(Interval<V> tree) {
        Interval<V> at = tree;
        while (at.right != null) {
            at = at.right;
        }
        return at;
    }

    private static <V> Interval<V> leftmost(Interval<V> tree) {
        Interval<V> at = tree;
        while (at.left != null) {
            at = at.left;
        }
        return at;
    }

    private static <V> Interval<V> join(
            @Nullable Interval<V> left, int first, int last, V value, @Nullable Interval<V> right) {
        if (left != null && left.height > height(right) + 1) {
            return balance(left, left.left, join(left.right, first, last, value, right));
        }
        if (right != null && right.height > height(left) + 1) {
            return balance(right, join(left, first, last, value, right.left), right.right);
        }
        return new Interval<>(first, last, value, left, right);
    }

    /** Returns a balanced tree of {@code node} with two new children, whose heights differ by at most two. */
    private static <V> Interval<V> balance(Interval<V> node, @Nullable Interval<V> left, @Nullable Interval<V> right) {
        if (left != null && left.height > height(right) + 1) {
            Interval<V> pivot = left.right;
            if (pivot != null && pivot.height > height(left.left)) {
                return pivot.with(left.with(left.left, pivot.left), node.with(pivot.right, right));
            }
            return left.with(left.left, node.with(left.right, right));
        }
        if (right != null && right.height > height(left) + 1) {
            Interval<V> pivot = right.left;
            if (pivot != null && pivot.height > height(right.right)) {
                return pivot.with(node.with(left, pivot.left), right.with(pivot.right, right.right));
            }
            return right.with(node.with(left, right.left), right.right);
        }
        return node.with(left, right);
    }

    private Interval<V> with(@Nullable Interval<V> newLeft, @Nullable Interval<V> newRight) {
        return left == newLeft && right == newRight ? this : new Interval<>(first, last, value, newLeft, newRight);
    }

    static int height(@Nullable Interval<?> tree) {
        return tree == null ? 0 : tree.height;
    }

    /** Builds the new content of one range from its old intervals, from left to right. */
    private static final class Rewrite<V> implements IntervalConsumer<V> {
        private final UnaryOperator<@Nullable V> f;
        private int next;
        private @Nullable Interval<V> result;

        Rewrite(int next, UnaryOperator<@Nullable V> f) {
            this.next = next;
            this.f = f;
        }

        @Override
        public void accept(int first, int last, V value) {
            gapUpTo(first);
            append(first, last, f.apply(value));
            next = last + 1;
        }

        void gapUpTo(int bound) {
            if (next < bound) {
                append(next, bound - 1, f.apply(null));
            }
        }

        private void append(int first, int last, @Nullable V value) {
            if (value != null) {
                result = concat(result, new Interval<>(first, last, value, null, null));
            }
        }
    }
}
