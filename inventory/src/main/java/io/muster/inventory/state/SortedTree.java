package io.muster.inventory.state;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An immutable sorted map: a balanced tree (AVL), whose changed copy shares all nodes off the path to the change. A change and a
 * look-up take O(log n), whatever the keys are.
 */
final class SortedTree<K extends Comparable<K>, V> {
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

    static <K extends Comparable<K>, V> SortedTree<K, V> empty() {
        return new SortedTree<>(null, 0);
    }

    int size() {
        return size;
    }

    @Nullable
    V get(K key) {
        Node<K, V> node = root;
        while (node != null) {
            int order = key.compareTo(node.key);
            if (order == 0) {
                return node.value;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    /** The value of the smallest key; null if the map is empty. */
    @Nullable
    V first() {
        Node<K, V> node = root;
        while (node != null && node.left != null) {
            node = node.left;
        }
        return node == null ? null : node.value;
    }

    SortedTree<K, V> with(K key, V value) {
        return new SortedTree<>(put(root, key, value), get(key) == null ? size + 1 : size);
    }

    SortedTree<K, V> without(K key) {
        return get(key) == null ? this : new SortedTree<>(remove(root, key), size - 1);
    }

    /** The values in the order of their keys. */
    List<V> values() {
        List<V> values = new ArrayList<>(size);
        collect(root, values);
        return values;
    }

    private static <K extends Comparable<K>, V> void collect(@Nullable Node<K, V> node, List<V> values) {
        if (node != null) {
            collect(node.left, values);
            values.add(node.value);
            collect(node.right, values);
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
