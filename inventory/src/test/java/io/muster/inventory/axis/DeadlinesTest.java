package io.muster.inventory.axis;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.state.States;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Many times at which holds end by themselves, in any order, on fragmented ranks. */
class DeadlinesTest {
    private static final int MANY = 20_000;

    private static Holds hold(Holds holds, Idset ranks, double until) {
        Hold hold = new Hold("ops", "x", 1, States.ALICE, until);
        return holds.change(ranks, set -> HoldSet.with(set, hold));
    }

    @Test
    void deadlinesAddedInAscendingOrderAreFoundAndRemoved() {
        Holds holds = Holds.NONE;
        for (int i = 0; i < MANY; i++) {
            holds = hold(holds, Idset.of(i), 1000 + i);
        }
        assertThat(holds.nextDeadline()).isEqualTo(1000);
        assertThat(holds.due(1009.5)).hasSize(10);
        for (int i = 0; i < MANY - 1; i++) {
            holds = holds.change(Idset.of(i), set -> null);
        }
        assertThat(holds.nextDeadline()).isEqualTo(1000 + MANY - 1);
        assertThat(holds.change(Idset.of(MANY - 1), set -> null).nextDeadline()).isZero();
    }

    @Test
    void theEarliestDeadlineAndExpiredHoldsMatchAnArrayAfterRandomChanges() {
        Random random = new Random(7);
        double[] until = new double[500];
        Holds holds = Holds.NONE;
        for (int step = 0; step < 5000; step++) {
            int rank = random.nextInt(until.length);
            until[rank] = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(200);
            holds = until[rank] == 0
                    ? holds.change(Idset.of(rank), set -> null)
                    : hold(holds, Idset.of(rank), until[rank]);
            double earliest = Arrays.stream(until).filter(u -> u > 0).min().orElse(0);
            assertThat(holds.nextDeadline()).isEqualTo(earliest);
        }
        double now = 100;
        Idset.Builder due = Idset.builder();
        for (int rank = 0; rank < until.length; rank++) {
            if (until[rank] > 0 && until[rank] <= now) {
                due.add(rank);
            }
        }
        Idset found = holds.due(now).values().stream().reduce(Idset.EMPTY, Idset::union);
        assertThat(found).isEqualTo(due.build());
    }

    /** If each range were handled separately, this test would take quadratic time. */
    @Test
    void aHoldOnManyScatteredRanksHasOneDeadline() {
        Idset.Builder even = Idset.builder();
        for (int rank = 0; rank < 1 << 17; rank += 2) {
            even.add(rank);
        }
        Idset ranks = even.build();
        Holds holds = hold(Holds.NONE, ranks, 1000);
        assertThat(holds.due(1000).values()).containsExactly(ranks);
        assertThat(hold(holds, ranks, 2000).nextDeadline()).isEqualTo(2000);
        assertThat(holds.change(ranks, set -> null).nextDeadline()).isZero();
    }
}
