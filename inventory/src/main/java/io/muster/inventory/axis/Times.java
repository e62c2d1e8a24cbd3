package io.muster.inventory.axis;

import java.time.Instant;

/** Formats times and durations for people and for programs. Times are given in seconds since the epoch. */
public final class Times {
    private static final long MINUTE = 60;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;
    private static final long YEAR = 365 * DAY;

    private Times() {}

    /**
     * Returns how long ago {@code then} was, in the style of kubectl: at most two units, the second only if the first is
     * small.
     */
    public static String age(double then, double now) {
        return then <= 0 ? "-" : span(now - then);
    }

    /** Returns a duration in the style of kubectl: {@code 45s, 5m30s, 90m, 5h20m, 30h, 3d5h, 200d, 3y}. */
    public static String span(double seconds) {
        long s = Math.max(0, Math.round(seconds));
        if (s < 2 * MINUTE) {
            return s + "s";
        }
        if (s < 3 * HOUR) {
            return s / MINUTE + "m" + (s < 10 * MINUTE ? rest(s % MINUTE, 1, "s") : "");
        }
        if (s < 2 * DAY) {
            return s / HOUR + "h" + (s < 8 * HOUR ? rest(s % HOUR, MINUTE, "m") : "");
        }
        if (s < 2 * YEAR) {
            return s / DAY + "d" + (s < 8 * DAY ? rest(s % DAY, HOUR, "h") : "");
        }
        return s / YEAR + "y";
    }

    private static String rest(long seconds, long unit, String name) {
        return seconds < unit ? "" : seconds / unit + name;
    }

    /** Returns a time by RFC 3339 in UTC, with as many decimals as necessary. */
    public static String rfc3339(double epoch) {
        return instant(epoch).toString();
    }

    /** Returns a time, rounded to the microsecond. */
    public static Instant instant(double epoch) {
        long micros = Math.round(epoch * 1e6);
        return Instant.ofEpochSecond(Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
    }

    /** Returns a time by RFC 3339 in UTC, rounded to the second. */
    public static String second(double epoch) {
        return Instant.ofEpochSecond(Math.round(epoch)).toString();
    }
}
