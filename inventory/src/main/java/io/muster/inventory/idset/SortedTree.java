package io.muster.inventory.idset;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map: a balanced tree (AVL), whose changed copy shares all nodes off the path to the change. A change and
 * a look-up take O(log n), for any keys.
 */
public final class SortedTree<K extends Comparable<K>, V> extends AbstractMap<K, V> {
    private static final SortedTree<?, ?> EMPTY = new SortedTree<String, Object>(null, 0);

    private final @Nullable Node<K, V> root;
    private final int size;

    private SortedTree(@Nullable Node<K, V> root, int size) {
        this.root = root;
        this.size = size;
    }

    private record Node<K extends Comparable<K>, V>(
            K key,
            V value,
            @Nullable Node<K, V> left,
            @Nullable Node<K, V> right,
            int height) {}

    /** Receives a key whose values differ between two maps; null for the map that does not have the key. */
    public interface Difference<K, V> {
        void accept(K key, @Nullable V mine, @Nullable V theirs);
    }

    @SuppressWarnings("unchecked")
    public static <K extends Comparable<K>, V> SortedTree<K, V> empty() {
        return (SortedTree<K, V>) EMPTY;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean containsKey(Object key) {
        return get(key) != null;
    }

    @Override
    public @Nullable V get(Object key) {
        @SuppressWarnings("unchecked") // the contract of Map permits a ClassCastException
        K wanted = (K) key;
        Node<K, V> node = root;
        while (node != null) {
            int order = wanted.compareTo(node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    /** Returns the value of the smallest key; null if the map is empty. */
    public @Nullable V first() {
        Node<K, V> node = root;
        while (node != null && node.left != null) {
            node = node.left;
        }
        return node == null ? null : node.value;
    }

    public SortedTree<K, V> with(K key, V value) {
        return new SortedTree<>(put(root, key, value), get(key) == null ? size + 1 : size);
    }

    /** The same for a key that the map does not have. */
    public SortedTree<K, V> withNew(K key, V value) {
        return new SortedTree<>(put(root, key, value), size + 1);
    }

    public SortedTree<K, V> without(K key) {
        return get(key) == null ? this : new SortedTree<>(remove(root, key), size - 1);
    }

    /** Returns the values in the order of their keys. */
    @Override
    public List<V> values() {
        List<V> values = new ArrayList<>(size);
        collect(root, values);
        return values;
    }

    private static <K extends Comparable<K>, V> void collect(@Nullable Node<K, V> node, List<V> into) {
        if (node != null) {
            collect(node.left, into);
            into.add(node.value);
            collect(node.right, into);
        }
    }

    /** Returns the entries in the order of their keys. */
    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public int size() {
                return size;
            }

            @Override
            public Iterator<Map.Entry<K, V>> iterator() {
                Walk<K, V> walk = new Walk<>(root);
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return !walk.rest.isEmpty();
                    }

                    @Override
                    public Map.Entry<K, V> next() {
                        Node<K, V> node = walk.next();
                        return Map.entry(node.key, node.value);
                    }
                };
            }
        };
    }

    /**
     * Visits the keys whose values differ, in ascending order. Parts that both maps share are skipped, so that after m changes
     * to a map of n keys, this takes O(m log n).
     */
    @SuppressWarnings("ReferenceEquality") // a shared part is the same object
    public void forEachDifference(SortedTree<K, V> that, Difference<K, V> difference) {
        Walk<K, V> mine = new Walk<>(root);
        Walk<K, V> theirs = new Walk<>(that.root);
        while (!mine.rest.isEmpty() || !theirs.rest.isEmpty()) {
            Node<K, V> a = mine.rest.peek();
            Node<K, V> b = theirs.rest.peek();
            if (a == b) {
                mine.rest.pop();
                theirs.rest.pop();
            } else if (height(a) > 1 && height(a) >= height(b)) {
                mine.split();
            } else if (height(b) > 1) {
                theirs.split();
            } else {
                int order = a == null ? 1 : b == null ? -1 : a.key.compareTo(b.key);
                Node<K, V> own = order <= 0 ? mine.rest.pop() : null;
                Node<K, V> other = order >= 0 ? theirs.rest.pop() : null;
                if (own == null || other == null || !own.value.equals(other.value)) {
                    K key = own == null ? Objects.requireNonNull(other).key : own.key;
                    difference.accept(key, own == null ? null : own.value, other == null ? null : other.value);
                }
            }
        }
    }

    /** A walk over the nodes in the order of their keys. */
    private static final class Walk<K extends Comparable<K>, V> {
        /** The parts of the tree that have not been visited, the next part first. */
        final Deque<Node<K, V>> rest = new ArrayDeque<>();

        Walk(@Nullable Node<K, V> root) {
            push(root);
        }

        private void push(@Nullable Node<K, V> node) {
            if (node != null) {
                rest.push(node);
            }
        }

        /** Replaces the next part by its left subtree, its root and its right subtree. */
        void split() {
            Node<K, V> node = rest.pop();
            push(node.right);
            push(new Node<>(node.key, node.value, null, null, 1));
            push(node.left);
        }

        Node<K, V> next() {
            while (rest.element().height > 1) {
                split();
            }
            return rest.pop();
        }
    }

    private static <K extends Comparable<K>, V> Node<K, V> put(@Nullable Node<K, V> node, K key, V value) {
        if (node == null) {
            return new Node<>(key, value, null, null, 1);
        }
        int order = key.compareTo(node.key);
        if (order == 0) {
            return new Node<>(key, value, node.left, node.right, node.height);
        }
        return order < 0
                ? balanced(node, put(node.left, key, value), node.right)
                : balanced(node, node.left, put(node.right, key, value));
    }

    private static <K extends Comparable<K>, V> @Nullable Node<K, V> remove(@Nullable Node<K, V> node, K key) {
        if (node == null) {
            return null;
        }
        int order = key.compareTo(node.key);
        if (order != 0) {
            return order < 0
                    ? balanced(node, remove(node.left, key), node.right)
                    : balanced(node, node.left, remove(node.right, key));
        }
        Node<K, V> next = node.right;
        if (next == null) {
            return node.left;
        }
        while (next.left != null) {
            next = next.left;
        }
        return balanced(next, node.left, remove(node.right, next.key));
    }

    /** Makes a node with the key of {@code of}; the subtrees differ in height by two at most. */
    private static <K extends Comparable<K>, V> Node<K, V> balanced(
            Node<K, V> of, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        int lean = height(left) - height(right);
        if (lean > 1 && left != null) {
            Node<K, V> inner = left.right;
            return inner != null && height(inner) > height(left.left)
                    ? node(inner, node(left, left.left, inner.left), node(of, inner.right, right))
                    : node(left, left.left, node(of, inner, right));
        }
        if (lean < -1 && right != null) {
            Node<K, V> inner = right.left;
            return inner != null && height(inner) > height(right.right)
                    ? node(inner, node(of, left, inner.left), node(right, inner.right, right.right))
                    : node(right, node(of, left, inner), right.right);
        }
        return node(of, left, right);
    }

    private static <K extends Comparable<K>, V> Node<K, V> node(
            Node<K, V> of, @Nullable Node<K, V> left, @Nullable Node<K, V> right) {
        return new Node<>(of.key, of.value, left, right, 1 + Math.max(height(left), height(right)));
    }

    private static int height(@Nullable Node<?, ?> node) {
        return node == null ? 0 : node.height;
    }
}
