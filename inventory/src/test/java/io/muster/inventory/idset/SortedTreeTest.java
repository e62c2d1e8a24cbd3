package io.muster.inventory.idset;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SortedTreeTest {
    @Seeds
    void everyVersionAndItsDifferencesMatchATreeMap(Random random) {
        List<SortedTree<String, Integer>> versions = new ArrayList<>();
        List<TreeMap<String, Integer>> oracles = new ArrayList<>();
        SortedTree<String, Integer> tree = SortedTree.empty();
        TreeMap<String, Integer> oracle = new TreeMap<>();
        int bound = 1 + random.nextInt(60);
        for (int step = 0; step < 60; step++) {
            String key = "k" + random.nextInt(bound);
            int value = random.nextInt(3);
            tree = value == 0 ? tree.without(key) : tree.with(key, value);
            oracle.merge(key, value, (old, fresh) -> fresh);
            oracle.values().removeIf(v -> v == 0);
            versions.add(tree);
            oracles.add(new TreeMap<>(oracle));
        }
        for (int i = 0; i < versions.size(); i++) {
            assertThat(new ArrayList<>(versions.get(i).entrySet()))
                    .isEqualTo(new ArrayList<>(oracles.get(i).entrySet()));
            assertThat(versions.get(i)).hasSameSizeAs(oracles.get(i));
            int other = random.nextInt(versions.size());
            assertThat(differences(versions.get(i), versions.get(other)))
                    .isEqualTo(differences(oracles.get(i), oracles.get(other)));
        }
    }

    private static List<String> differences(SortedTree<String, Integer> from, SortedTree<String, Integer> to) {
        List<String> found = new ArrayList<>();
        from.forEachDifference(to, (key, mine, theirs) -> found.add(key + " " + mine + " " + theirs));
        return found;
    }

    private static List<String> differences(Map<String, Integer> from, Map<String, Integer> to) {
        List<String> found = new ArrayList<>();
        TreeSet<String> keys = new TreeSet<>(from.keySet());
        keys.addAll(to.keySet());
        keys.removeIf(key -> Objects.equals(from.get(key), to.get(key)));
        keys.forEach(key -> found.add(key + " " + from.get(key) + " " + to.get(key)));
        return found;
    }

    /** A key that counts how often keys are compared. */
    private record Counted(int number, AtomicLong comparisons) implements Comparable<Counted> {
        @Override
        public int compareTo(Counted that) {
            comparisons.incrementAndGet();
            return Integer.compare(number, that.number);
        }
    }

    @Test
    void aChangeAndADifferenceTakeLogarithmicTime() {
        for (int size = 1 << 10; size <= 1 << 16; size *= 2) {
            AtomicLong comparisons = new AtomicLong();
            SortedTree<Counted, Integer> tree = SortedTree.empty();
            for (int i = 0; i < size; i++) {
                tree = tree.with(new Counted(2 * i, comparisons), i);
            }
            comparisons.set(0);
            List<Integer> changed = new ArrayList<>();
            SortedTree<Counted, Integer> next = tree.with(new Counted(size + 1, comparisons), -1);
            tree.forEachDifference(next, (key, mine, theirs) -> changed.add(key.number));
            assertThat(changed).containsExactly(size + 1);
            assertThat(comparisons.get()).as("size %s", size).isLessThan(200);
        }
    }
}
