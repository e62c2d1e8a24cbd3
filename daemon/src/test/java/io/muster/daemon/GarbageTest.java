package io.muster.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GarbageTest {
    private static final long MIB = 1 << 20;

    private long heap = 16 * MIB;
    private int collections;
    private final Garbage garbage = new Garbage(() -> heap, () -> {
        collections++;
        heap = heap / 2;
    });

    @Test
    void aHeapThatHasGrownIsCollectedWhenNothingChanges() {
        garbage.look(1);
        garbage.look(1);
        assertThat(collections).isZero();
        heap = 200 * MIB;
        garbage.look(2);
        garbage.look(3);
        assertThat(collections).as("during a burst").isZero();
        garbage.look(3);
        assertThat(collections).isEqualTo(1);
    }

    @Test
    void aHeapIsCollectedAgainWhenItHasTwiceItsSize() {
        heap = 200 * MIB;
        garbage.look(1);
        garbage.look(1);
        assertThat(heap).isEqualTo(100 * MIB);
        heap = 200 * MIB;
        garbage.look(1);
        assertThat(collections).isEqualTo(1);
        heap = 201 * MIB;
        garbage.look(1);
        assertThat(collections).isEqualTo(2);
    }
}
