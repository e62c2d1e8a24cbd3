package io.muster.daemon.cli.bench;

/**
 * One thing measured.
 *
 * @param what as the table of the documentation names it
 * @param value in {@code unit}
 * @param high the 99th percentile; equal to {@code value} for what is measured once
 * @param floor what the machine takes for what cannot be left out of it, measured in the same run; 0 where there is none
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

    /** How many times as long, or as much, as the floor takes. */
    double ratio() {
        return unit.equals(RATE) ? floor / value : value / floor;
    }
}
