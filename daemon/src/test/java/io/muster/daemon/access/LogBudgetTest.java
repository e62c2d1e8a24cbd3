package io.muster.daemon.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LogBudgetTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final LogBudget budget = new LogBudget(nanos::get);

    private int taken(int uid, int asked) {
        int taken = 0;
        for (int i = 0; i < asked; i++) {
            taken += budget.take(Identity.ofKernel(uid, uid, uid)) ? 1 : 0;
        }
        return taken;
    }

    @Test
    void eachUserMayLogALimitedNumberOfLinesPerMinute() {
        assertThat(taken(1, 1000)).isEqualTo(LogBudget.LINES);
        assertThat(taken(2, 5)).isEqualTo(5);
        nanos.addAndGet(LogBudget.WINDOW - 1);
        assertThat(taken(1, 10)).isZero();
        nanos.addAndGet(1);
        assertThat(taken(1, 1000)).isEqualTo(LogBudget.LINES);
    }

    @Test
    void firstLinesOfManyUsersAreNotDropped() {
        for (int uid = 0; uid < 50_000; uid++) {
            assertThat(budget.take(Identity.ofKernel(uid, uid, uid))).isTrue();
        }
    }
}
