package io.muster.inventory.axis;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.node.DecimalNode;
import io.muster.inventory.json.Fields;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;

/** Reads, writes and rounds times. A time is a number of seconds since the Unix epoch with microseconds, as in RFC 18 and R. */
public final class Epoch {
    /** The time by which a program goes if its clock shows an earlier one: 0 and less stand for "never" and "unknown". */
    public static final double FIRST = 1;

    /**
     * The last time that is accepted: 9999-12-31T23:59:59Z. A later time is a mistake, such as a time in milliseconds, and
     * cannot be written as a date.
     */
    public static final double LAST = 253_402_300_799.0;

    private static final long MICROS = 1_000_000;

    /** The bound below which a double can be multiplied by a million without losing its microseconds. */
    private static final double QUICK = 1L << 32;

    private Epoch() {}

    /**
     * Returns the double nearest to {@code micros} microseconds. {@link #decimal} turns this double back into exactly {@code
     * micros}.
     */
    public static double ofMicros(long micros) {
        return (double) micros / MICROS;
    }

    /** Returns the time that remains after writing and reading it: whole microseconds, and no negative zero. */
    public static double rounded(double seconds) {
        return decimal(seconds).doubleValue();
    }

    /** Reads a number of seconds, whose decimal digits must fit into an integer of 64 bits. */
    public static double seconds(Fields in, String key) {
        double seconds = in.number(key, "a number of seconds");
        if (Math.abs(seconds) > LAST) {
            throw in.fault(key, "must be before the year 10000");
        }
        return seconds;
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
     * Returns the time in plain decimal digits without an exponent, because people read and {@code grep} these times.
     *
     * @throws NumberFormatException if {@code seconds} is infinite or not a number
     */
    public static BigDecimal decimal(double seconds) {
        BigDecimal micros = Math.abs(seconds) < QUICK
                ? BigDecimal.valueOf(Math.round(seconds * MICROS), 6)
                : BigDecimal.valueOf(seconds).setScale(6, RoundingMode.HALF_EVEN);
        BigDecimal exact = micros.stripTrailingZeros();
        return exact.scale() < 0 ? exact.setScale(0) : exact;
    }

    public static void write(JsonGenerator out, String key, double seconds) throws IOException {
        out.writeNumberField(key, decimal(seconds));
    }

    /** Returns the time as JSON with at least one decimal, such as {@code 2000000000.0}, because RFC 28 requires a float. */
    public static DecimalNode number(double seconds) {
        BigDecimal exact = decimal(seconds);
        return DecimalNode.valueOf(exact.scale() == 0 ? exact.setScale(1) : exact);
    }
}
