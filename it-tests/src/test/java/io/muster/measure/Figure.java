package io.muster.measure;

/**
 * One measured value.
 *
 * @param what the name in the table of the documentation
 * @param value the median, in {@code unit}
 * @param high the 99th percentile; equal to {@code value} if it was measured once
 * @param floor the same measure of the least that the machine needs for this, taken in the same run; 0 if there is none
 */
record Figure(String what, int ranks, String unit, double value, double high, double floor) {
    static final String RATE = "/s";

    static Figure of(String what, int ranks, Samples samples, double floor) {
        return new Figure(what, ranks, "ms", samples.median(), samples.quantile(0.99), floor);
    }

    static Figure once(String what, int ranks, String unit, double value) {
        return once(what, ranks, unit, value, 0);
    }

    static Figure once(String what, int ranks, String unit, double value, double floor) {
        return new Figure(what, ranks, unit, value, value, floor);
    }

    boolean hasFloor() {
        return floor != 0;
    }

    /** The value in multiples of the floor; for a rate, the floor in multiples of the value. */
    double ratio() {
        return unit.equals(RATE) ? floor / value : value / floor;
    }
}
