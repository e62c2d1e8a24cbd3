package io.muster.daemon.config;

import io.muster.inventory.problem.MalformedException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Flux Standard Duration, RFC 23: {@code 50ms}, {@code 1.5h}, {@code 90d}, {@code inf}; without a unit, seconds.
 *
 * @param seconds not negative, not NaN; may be infinite
 */
public record Fsd(double seconds) {
    public static final Fsd ZERO = new Fsd(0);
    public static final Fsd FOREVER = new Fsd(Double.POSITIVE_INFINITY);

    private static final Map<String, Double> UNITS =
            Map.of("", 1.0, "ms", 0.001, "s", 1.0, "m", 60.0, "h", 3600.0, "d", 86400.0);
    private static final Pattern FORM =
            Pattern.compile("\\+?(\\d+\\.?\\d*(?:[eE][+-]?\\d+)?|\\.\\d+)(.*)", Pattern.DOTALL);

    public Fsd {
        if (!(seconds >= 0)) {
            throw new IllegalArgumentException("a duration cannot be " + seconds);
        }
    }

    /** @throws MalformedException if {@code text} is not a duration by RFC 23 */
    public static Fsd parse(CharSequence text) {
        String folded = text.toString().toLowerCase(Locale.ROOT);
        if (folded.equals("inf") || folded.equals("infinity")) {
            return FOREVER;
        }
        Matcher m = FORM.matcher(text);
        if (!m.matches()) {
            throw new MalformedException("duration", text, 0, "expected a number, not negative, and a unit");
        }
        Double unit = UNITS.get(m.group(2));
        if (unit == null) {
            throw new MalformedException("duration", text, m.start(2), "the unit is one of ms, s, m, h, d");
        }
        return new Fsd(Double.parseDouble(m.group(1)) * unit);
    }

    public boolean isForever() {
        return Double.isInfinite(seconds);
    }

    /** The duration in nanoseconds, or {@link Long#MAX_VALUE} (292 years) if it is longer. */
    public long toNanos() {
        return Math.round(seconds * 1e9);
    }

    public Duration toDuration() {
        return Duration.ofNanos(toNanos());
    }

    /** The duration in the largest unit that gives a number of at least one: {@code 90d}, {@code 1.5h}, {@code 50ms}, {@code 0s}. */
    @Override
    public String toString() {
        if (isForever()) {
            return "inf";
        }
        if (seconds >= 86400) {
            return number(seconds / 86400) + "d";
        }
        if (seconds >= 3600) {
            return number(seconds / 3600) + "h";
        }
        if (seconds >= 60) {
            return number(seconds / 60) + "m";
        }
        return seconds >= 1 || seconds == 0 ? number(seconds) + "s" : number(seconds * 1000) + "ms";
    }

    private static String number(double value) {
        return value == Math.rint(value) && value < 1e15 ? Long.toString((long) value) : Double.toString(value);
    }
}
