package io.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeedsTest {
    @Seeds(share = 0.05)
    void aSeedMakesTheSameValuesEveryTime(long seed) {
        assertThat(Idsets.any(SeedSource.random(seed))).isEqualTo(Idsets.any(SeedSource.random(seed)));
        assertThat(Hostlists.spelled(SeedSource.random(seed))).isEqualTo(Hostlists.spelled(SeedSource.random(seed)));
    }

    @Seeds(share = 0.05)
    void aTestMayAskForTheGeneratorInsteadOfTheSeed(Random random) {
        assertThat(random.nextInt(10)).isBetween(0, 9);
    }

    @Test
    void seedsCountFromOneAndASingleSeedCanBeReplayed() {
        assertThat(SeedSource.seeds("", "3", 1.0)).containsExactly(1L, 2L, 3L);
        assertThat(SeedSource.seeds("", "200", 0.1)).hasSize(20);
        assertThat(SeedSource.seeds("", "3", 0.1)).containsExactly(1L);
        assertThat(SeedSource.seeds("", "", 1.0)).hasSize(50);
        assertThat(SeedSource.seeds("42", "3", 0.1)).containsExactly(42L);
    }

    @Test
    void neighbouringSeedsBeginDifferently() {
        Set<Integer> first = new HashSet<>();
        for (long seed = 1; seed <= 100; seed++) {
            first.add(SeedSource.random(seed).nextInt(1_000_000));
        }
        assertThat(first).hasSizeGreaterThan(95);
    }

    @Test
    void aFailureNamesItsSeedFirst() {
        assertThat(SeedSource.title(42)).isEqualTo("seed 42 (replay with -Dmuster.seed=42)");
        assertThatThrownBy(() -> SeedSource.seeds("x", "", 1.0)).isInstanceOf(NumberFormatException.class);
    }
}
