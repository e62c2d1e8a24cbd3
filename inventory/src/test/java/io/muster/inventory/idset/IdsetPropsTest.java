package io.muster.inventory.idset;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.testing.Idsets;
import io.muster.testing.Seeds;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;

class IdsetPropsTest {
    @Seeds
    void aWrittenSetReadsBackEqual(Random random) {
        for (Idset set : List.of(Idsets.any(random), Idsets.huge(random))) {
            assertThat(Idset.parse(set.toString())).isEqualTo(set).hasSameHashCodeAs(set);
            assertThat(Idset.parse("[" + set + "]")).isEqualTo(set);
            assertThat(Idset.parse(set.toString())).hasToString(set.toString());
        }
    }

    @Seeds
    void setOperationsMatchABitSet(Random random) {
        Idset a = Idsets.any(random);
        Idset b = related(a, random);
        agree(a, b, Idset::union, BitSet::or);
        agree(a, b, Idset::intersect, BitSet::and);
        agree(a, b, Idset::subtract, BitSet::andNot);
        agree(a, b, Idset::symmetricDifference, BitSet::xor);
        assertThat(a.intersects(b)).isEqualTo(Idsets.bits(a).intersects(Idsets.bits(b)));
        BitSet missing = Idsets.bits(b);
        missing.andNot(Idsets.bits(a));
        assertThat(a.containsAll(b)).isEqualTo(missing.isEmpty());
    }

    @Seeds
    void queriesMatchABitSet(Random random) {
        Idset set = Idsets.any(random);
        BitSet bits = Idsets.bits(set);
        assertThat(set.size()).isEqualTo(bits.cardinality());
        assertThat(set.stream().toArray()).isEqualTo(bits.stream().toArray());
        assertThat(set.isEmpty()).isEqualTo(bits.isEmpty());
        for (int i = 0; i < 20; i++) {
            int id = probe(set, random);
            assertThat(set.contains(id)).isEqualTo(bits.get(id));
            assertThat(set.next(id)).isEqualTo(bits.nextSetBit(id + 1));
            assertThat(set.position(id)).isEqualTo(bits.get(0, id).cardinality());
            assertThat(set.with(id)).isEqualTo(set.union(Idset.of(id)));
            assertThat(set.without(id)).isEqualTo(set.subtract(Idset.of(id)));
        }
    }

    @Seeds
    void positionIsTheInverseOfNth(Random random) {
        Idset set = random.nextBoolean() ? Idsets.any(random) : Idsets.huge(random);
        for (int i = 0; i < 20 && !set.isEmpty(); i++) {
            int index = random.nextInt(set.size());
            assertThat(set.position(set.nth(index))).isEqualTo(index);
            assertThat(set.contains(set.nth(index))).isTrue();
        }
    }

    @Seeds
    void deMorganHoldsWithinAnyUniverse(Random random) {
        Idset universe = random.nextBoolean() ? Idset.range(0, Idset.MAX_ID) : Idsets.any(random);
        Idset a = Idsets.any(random).intersect(universe);
        Idset b = related(a, random).intersect(universe);
        assertThat(universe.subtract(a.union(b))).isEqualTo(universe.subtract(a).intersect(universe.subtract(b)));
        assertThat(universe.subtract(a.intersect(b)))
                .isEqualTo(universe.subtract(a).union(universe.subtract(b)));
        assertThat(a.union(b).subtract(a.intersect(b))).isEqualTo(a.symmetricDifference(b));
        assertThat(universe.subtract(universe.subtract(a))).isEqualTo(a);
    }

    @Seeds
    void rangesAreMaximalAndAscend(Random random) {
        Idset set = random.nextBoolean() ? Idsets.any(random) : Idsets.huge(random);
        List<Integer> bounds = new ArrayList<>();
        set.forEachRange((first, last) -> {
            assertThat(first).isBetween(0, last);
            assertThat(bounds.isEmpty() || bounds.get(bounds.size() - 1) + 1 < first)
                    .isTrue();
            bounds.add(last);
        });
        assertThat(set.rangeCount()).isEqualTo(bounds.size());
    }

    @Seeds
    void theOrderOfBuildingDoesNotMatter(Random random) {
        Idset set = Idsets.any(random);
        List<int[]> ranges = new ArrayList<>();
        set.forEachRange((first, last) -> ranges.add(new int[] {first, last}));
        Collections.shuffle(ranges, random);
        Idset.Builder builder = Idset.builder();
        ranges.forEach(r -> builder.addRange(r[0], r[1]));
        assertThat(builder.build()).isEqualTo(set).hasSameHashCodeAs(set);
        assertThat(Idset.builder().addAll(set).addAll(set).build()).isEqualTo(set);
    }

    /** Returns a set that overlaps {@code a}; such sets find more faults than independent sets. */
    private static Idset related(Idset a, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> a.union(Idsets.any(random));
            case 1 -> a.subtract(Idsets.any(random));
            case 2 -> a.isEmpty() ? a : a.without(a.nth(random.nextInt(a.size())));
            default -> Idsets.any(random);
        };
    }

    private static int probe(Idset set, Random random) {
        if (set.isEmpty() || random.nextBoolean()) {
            return random.nextInt(Idsets.UNIVERSE);
        }
        return Math.max(0, set.nth(random.nextInt(set.size())) + random.nextInt(3) - 1);
    }

    private static void agree(Idset a, Idset b, BinaryOperator<Idset> operation, BiConsumer<BitSet, BitSet> oracle) {
        BitSet expected = Idsets.bits(a);
        oracle.accept(expected, Idsets.bits(b));
        Idset actual = operation.apply(a, b);
        assertThat(actual).isEqualTo(Idsets.of(expected)).hasSameHashCodeAs(Idsets.of(expected));
        assertThat(Idsets.bits(actual)).isEqualTo(expected);
    }
}
