package io.muster.inventory.axis;

import com.fasterxml.jackson.databind.node.DecimalNode;
import io.muster.inventory.json.Fields;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Times in seconds since the Unix epoch with microseconds, as RFC 18 and R write them. */
public final class Epoch {
    /** 9999-12-31T23:59:59Z. A later time is a mistake, such as a time in milliseconds, and cannot be written as a date. */
    public static final double LAST = 253_402_300_799.0;

    private static final long MICROS = 1_000_000;

    /** Bound below which a double can be multiplied by a million without losing its microseconds. */
    private static final double QUICK = 1L << 32;

    private Epoch() {}

    /** Returns the double nearest to this many microseconds, from which {@link #decimal} computes them exactly again. */
    public static double ofMicros(long micros) {
        return (double) micros / MICROS;
    }

    /** Returns the time as it is after being written and read again: whole microseconds, and no negative zero. */
    public static double rounded(double seconds) {
        return decimal(seconds).doubleValue();
    }

    /** Reads a number of seconds. */
    public static double seconds(Fields in, String key) {
        return in.number(key, "a number of seconds");
    }

    /** Reads a time, which must not be before the epoch. */
    public static double instant(Fields in, String key) {
        double seconds = seconds(in, key);
        if (seconds < 0) {
            throw in.fault(key, "must not be negative");
        }
        return seconds;
    }

    /** Reads a time, or returns {@code otherwise} if the member is absent. */
    public static double instantOr(Fields in, String key, double otherwise) {
        return in.has(key) ? instant(in, key) : otherwise;
    }

    /**
     * Returns plain decimal digits, never an exponent, because people read and {@code grep} these times.
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

    /** Returns the time as JSON that every reader takes for a float, as RFC 28 requires: {@code 2000000000.0}. */
    public static DecimalNode number(double seconds) {
        BigDecimal exact = decimal(seconds);
        return DecimalNode.valueOf(exact.scale() == 0 ? exact.setScale(1) : exact);
    }
}
