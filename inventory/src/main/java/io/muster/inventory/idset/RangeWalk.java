package io.muster.inventory.idset;

import org.roaringbitmap.RelativeRangeConsumer;
import org.roaringbitmap.RoaringBitmap;

/**
 * Finds the maximal ranges of a bitmap. The bitmap library reports runs of ids that break at every multiple of 65536; the
 * walk joins them.
 */
final class RangeWalk implements RelativeRangeConsumer {
    private final int base;
    private final RangeConsumer target;
    private int start = -1;

    RangeWalk(int base, RangeConsumer target) {
        this.base = base;
        this.target = target;
    }

    /** Visits every maximal range from the base to {@code last}, which must be a member. */
    void over(RoaringBitmap bits, int last) {
        bits.forAllInRange(base, last - base + 1, this);
        acceptAbsent(last - base + 1);
    }

    @Override
    public void acceptPresent(int position) {
        if (start < 0) {
            start = position;
        }
    }

    @Override
    public void acceptAbsent(int position) {
        if (start >= 0) {
            target.accept(base + start, base + position - 1);
            start = -1;
        }
    }

    @Override
    public void acceptAllPresent(int from, int to) {
        acceptPresent(from);
    }

    @Override
    public void acceptAllAbsent(int from, int to) {
        acceptAbsent(from);
    }
}
