package io.muster.inventory.state;

import com.fasterxml.jackson.databind.node.DecimalNode;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Seconds since the Unix epoch with microseconds, as RFC 18 and R write time. */
public final class Epoch {
    /** 9999-12-31T23:59:59Z. A time beyond it is a mistake, such as milliseconds, and no date that a program could write. */
    public static final double LAST = 253_402_300_799.0;

    private static final long MICROS = 1_000_000;

    /** Up to here a double's microseconds survive being multiplied out. */
    private static final double QUICK = 1L << 32;

    private Epoch() {}

    /** The double nearest to this many microseconds, so that {@link #decimal} gives them back exactly. */
    public static double ofMicros(long micros) {
        return (double) micros / MICROS;
    }

    /** What is left of a time once it was written and read again: whole microseconds, and no negative zero. */
    public static double rounded(double seconds) {
        return decimal(seconds).doubleValue();
    }

    /**
     * Plain decimal digits, never an exponent: people read and {@code grep} these.
     *
     * @throws NumberFormatException if infinite or not a number
     */
    public static BigDecimal decimal(double seconds) {
        BigDecimal micros = Math.abs(seconds) < QUICK
                ? BigDecimal.valueOf(Math.round(seconds * MICROS), 6)
                : BigDecimal.valueOf(seconds).setScale(6, RoundingMode.HALF_EVEN);
        BigDecimal exact = micros.stripTrailingZeros();
        return exact.scale() < 0 ? exact.setScale(0) : exact;
    }

    /** The same as JSON that every reader takes for a float, as RFC 28 wants it: {@code 2000000000.0}. */
    public static DecimalNode number(double seconds) {
        BigDecimal exact = decimal(seconds);
        return DecimalNode.valueOf(exact.scale() == 0 ? exact.setScale(1) : exact);
    }
}
