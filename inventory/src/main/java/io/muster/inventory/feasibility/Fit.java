package io.muster.inventory.feasibility;

/**
 * Bounds on the number of copies that fit. The number is exact if the two bounds are equal. Sums and products above {@link
 * #MANY} become {@link #MANY}.
 */
record Fit(long least, long most) {
    static final long MANY = Long.MAX_VALUE / 4;
    static final Fit NONE = exactly(0);

    static Fit exactly(long n) {
        return new Fit(n, n);
    }

    boolean isExact() {
        return least == most;
    }

    Fit plus(Fit other) {
        return new Fit(Math.min(MANY, least + other.least), Math.min(MANY, most + other.most));
    }

    Fit times(long n) {
        return new Fit(times(least, n), times(most, n));
    }

    Fit over(long n) {
        return new Fit(least / n, most / n);
    }

    Fit min(Fit other) {
        return new Fit(Math.min(least, other.least), Math.min(most, other.most));
    }

    /** Returns one if at least one fits, otherwise zero. */
    Fit any() {
        return new Fit(Math.min(1, least), Math.min(1, most));
    }

    static long times(long a, long b) {
        return b != 0 && a > MANY / b ? MANY : a * b;
    }
}
