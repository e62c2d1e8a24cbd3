package io.muster.cli.terminal;

import io.muster.daemon.config.Fsd;
import io.muster.inventory.problem.MalformedException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;

/** Parses times as users give them: a duration, a date, a time of day, or RFC 3339. A time without a zone is local. */
public final class When {
    private When() {}

    /** Returns the time that {@code 4h} (from now), {@code 18:00} (today or tomorrow) or an absolute time means. */
    public static double future(String text, double now) {
        return parse(text, now, 1, ZoneId.systemDefault());
    }

    /** Returns the time that {@code 4h} (ago), {@code 18:00} (today or yesterday) or an absolute time means. */
    public static double past(String text, double now) {
        return parse(text, now, -1, ZoneId.systemDefault());
    }

    /** Parses a number of seconds, or a duration by RFC 23 such as {@code 500ms} or {@code 1.5m}. */
    public static Duration duration(String text) {
        try {
            return Fsd.parse(text).toDuration();
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "\"" + text + "\" is no duration: 5, 500ms, 1.5m and 2h are");
        }
    }

    static double parse(String text, double now, int direction, ZoneId zone) {
        try {
            if (text.startsWith("@")) {
                return Double.parseDouble(text.substring(1));
            }
            if (text.indexOf('T') > 0 || text.indexOf('-') > 0) {
                return dateTime(text.replace(' ', 'T'), zone);
            }
            return text.indexOf(':') > 0 ? timeOfDay(text, now, direction, zone) : now + direction * seconds(text);
        } catch (DateTimeException | NumberFormatException | MalformedException e) {
            throw new Failure(
                    Exit.USAGE,
                    "\"" + text + "\" is no time",
                    "30m, 4h and 2d count from now; 18:00, 2026-01-31, 2026-01-31T18:00 and 2026-01-31T18:00:00Z are"
                            + " times; @1795226327 is seconds since the epoch");
        }
    }

    private static double seconds(String text) {
        double seconds = Fsd.parse(text).seconds();
        if (Double.isInfinite(seconds)) {
            throw new NumberFormatException(text);
        }
        return seconds;
    }

    private static double dateTime(String text, ZoneId zone) {
        if (text.indexOf('T') < 0) {
            return epoch(LocalDate.parse(text).atStartOfDay(zone));
        }
        String time = text.substring(text.indexOf('T'));
        boolean zoned = time.endsWith("Z") || time.indexOf('+') > 0 || time.indexOf('-') > 0;
        return epoch(
                zoned
                        ? OffsetDateTime.parse(text).toZonedDateTime()
                        : LocalDateTime.parse(text).atZone(zone));
    }

    private static double timeOfDay(String text, double now, int direction, ZoneId zone) {
        ZonedDateTime today = ZonedDateTime.ofInstant(java.time.Instant.ofEpochMilli((long) (now * 1000)), zone);
        ZonedDateTime then = today.with(LocalTime.parse(text));
        boolean wrongSide = direction > 0 ? !then.isAfter(today) : then.isAfter(today);
        return epoch(wrongSide ? then.plusDays(direction) : then);
    }

    private static double epoch(ZonedDateTime time) {
        return time.toEpochSecond() + time.getNano() / 1e9;
    }
}
