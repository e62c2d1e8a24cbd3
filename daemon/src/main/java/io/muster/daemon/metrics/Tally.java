package io.muster.daemon.metrics;

import java.util.concurrent.atomic.LongAdder;

/** A counter whose labels are looked up once, so that counting is one addition. May be used on any thread. */
public final class Tally {
    private final LongAdder total = new LongAdder();

    Tally() {}

    public void increment() {
        total.increment();
    }

    public void add(long n) {
        total.add(n);
    }

    public long total() {
        return total.sum();
    }
}
