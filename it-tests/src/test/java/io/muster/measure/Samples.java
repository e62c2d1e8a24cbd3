package io.muster.measure;

import java.util.Arrays;

/** Durations of repeated runs of one operation, in nanoseconds. */
public final class Samples {
    private long[] nanos;
    private int count;

    /** @param usual how many are expected; there may be more */
    public Samples(int usual) {
        nanos = new long[usual];
    }

    public void add(long duration) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * count + 1);
        }
        nanos[count++] = duration;
    }

    /**
     * A quantile in milliseconds.
     *
     * @param share 0.5 for the median
     */
    public double quantile(double share) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1L, Math.round(share * (count - 1)))] / 1e6;
    }

    public double median() {
        return quantile(0.5);
    }
}
