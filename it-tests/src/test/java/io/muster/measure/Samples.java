package io.muster.measure;

import java.util.Arrays;

/** Durations of repeated runs of one operation, in nanoseconds. */
final class Samples {
    private final long[] nanos;
    private int count;

    Samples(int most) {
        nanos = new long[most];
    }

    void add(long duration) {
        nanos[count++] = duration;
    }

    /**
     * A quantile in milliseconds.
     *
     * @param share 0.5 for the median
     */
    double quantile(double share) {
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        return sorted[(int) Math.min(count - 1L, Math.round(share * (count - 1)))] / 1e6;
    }

    double median() {
        return quantile(0.5);
    }
}
