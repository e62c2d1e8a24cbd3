package io.muster.cli.terminal;

import io.muster.daemon.config.Fsd;
import io.muster.inventory.axis.Times;
import io.muster.inventory.problem.MalformedException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A time as a user gives it: seconds since the epoch, a duration from now, or a phrase of a day, a time of day and a zone. Each
 * part of a phrase may be missing, and the order is free: {@code tue 16:00}, {@code tomorrow 8am}, {@code noon}, {@code
 * 2026-11-24}, {@code 2026-11-24 16:00:05 CET}. RFC 3339 is such a phrase, too. A local time that does not exist or exists
 * twice is refused.
 */
public final class When {
    public static final String FORMS = "30m, 4h or 2d; 16:00, 8am, noon; today, tomorrow 8am, tue 16:00, 2026-01-31,"
            + " 2026-01-31 16:00; 2026-01-31T16:00:00Z; @ and seconds since 1970";

    private static final Pattern NUMBER = Pattern.compile("[0-9]*\\.?[0-9]+");
    private static final Pattern GAP =
            Pattern.compile("(?<=\\d)t(?=\\d)|(?<=:\\d\\d|\\.\\d{1,9})(?=[z+-])|,? +(?![ap]m\\b)");
    private static final Pattern TIME =
            Pattern.compile("(\\d{1,2})(?::(\\d\\d)(?::(\\d\\d(?:\\.\\d{1,9})?))?)?(?: ?([ap]m))?");
    private static final Pattern WEEKDAY =
            Pattern.compile("mon(day)?|tue(s|sday)?|wed(nesday)?|thu(r|rs|rsday)?|fri(day)?|sat(urday)?|sun(day)?");
    private static final List<String> WEEK = List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");

    private final String text;
    private final Zone zone;
    private final double now;
    private @Nullable String day;
    private @Nullable LocalTime time;

    /** The offset from UTC in the text, and its abbreviation in the text. */
    private @Nullable ZoneOffset offset;

    private @Nullable String abbreviation;

    private When(String text, Zone zone, double now) {
        this.text = text.strip();
        this.zone = zone;
        this.now = now;
    }

    /** Returns the time that a text means. A duration counts from now, and an incomplete time is the next one. */
    public static double future(String text, Zone zone, double now) {
        return new When(text, zone, now).epoch(1);
    }

    /** Returns the time that a text means. A duration counts back from now, and an incomplete time is the last one. */
    public static double past(String text, Zone zone, double now) {
        return new When(text, zone, now).epoch(-1);
    }

    /** Parses a number of seconds, or a duration by RFC 23 such as {@code 500ms} or {@code 1.5m}. */
    public static Duration duration(String text) {
        try {
            return Fsd.parse(text).toDuration();
        } catch (MalformedException e) {
            throw new Failure(Exit.USAGE, "\"" + text + "\" is not a duration, such as 5, 500ms, 1.5m or 2h");
        }
    }

    /**
     * Parses a duration between two numbers of seconds.
     *
     * @throws Failure with this sentence if the text is another one, or none
     */
    public static Fsd duration(String text, double least, double most, String refusal) {
        try {
            Fsd parsed = Fsd.parse(text);
            if (parsed.seconds() >= least && parsed.seconds() <= most) {
                return parsed;
            }
        } catch (MalformedException e) {
            // The sentence describes the form of a duration.
        }
        throw new Failure(Exit.USAGE, refusal);
    }

    private double epoch(int direction) {
        try {
            if (text.startsWith("@") && NUMBER.matcher(text.substring(1)).matches()) {
                return Double.parseDouble(text.substring(1));
            }
            if (NUMBER.matcher(text).matches()) {
                throw new Failure(
                        Exit.USAGE,
                        "\"" + text + "\" has no unit",
                        text + "s is seconds, " + text + "m minutes, " + text + "h hours and " + text + "d days");
            }
            if (isPhrase()) {
                Instant instant = instant(direction);
                return instant.getEpochSecond() + instant.getNano() / 1e9;
            }
            double seconds = Fsd.parse(text).seconds();
            if (!Double.isInfinite(seconds)) {
                return now + direction * seconds;
            }
        } catch (DateTimeException | MalformedException e) {
            // The sentence below describes the form of a time.
        }
        throw new Failure(Exit.USAGE, "\"" + text + "\" is not a time", "forms of times: " + FORMS);
    }

    /** Takes the text apart. Returns false if a word has no place in a phrase. */
    private boolean isPhrase() {
        for (String word : GAP.split(text.toLowerCase(Locale.ROOT), -1)) {
            Matcher clock = TIME.matcher(word);
            if (isDay(word)) {
                if (day != null) {
                    return false;
                }
                day = word;
            } else if (word.equals("noon") || word.equals("midnight") || clock.matches()) {
                if (time != null) {
                    return false;
                }
                time = word.equals("noon")
                        ? LocalTime.NOON
                        : word.equals("midnight") ? LocalTime.MIDNIGHT : time(clock);
            } else if (offset != null || !isZone(word)) {
                return false;
            }
        }
        return day != null || time != null;
    }

    private static boolean isDay(String word) {
        return switch (word) {
            case "today", "tomorrow", "yesterday" -> true;
            default ->
                (word.length() == 10 && word.charAt(4) == '-')
                        || WEEKDAY.matcher(word).matches();
        };
    }

    private static LocalTime time(Matcher clock) {
        String half = clock.group(4);
        if (half == null && clock.group(2) == null) {
            throw new DateTimeException("neither minutes nor am or pm");
        }
        int hour = Integer.parseInt(clock.group(1));
        if (half != null) {
            if (hour < 1 || hour > 12) {
                throw new DateTimeException("no hour of half a day: " + hour);
            }
            hour = hour % 12 + (half.equals("pm") ? 12 : 0);
        }
        LocalTime time = LocalTime.of(hour, clock.group(2) == null ? 0 : Integer.parseInt(clock.group(2)));
        return clock.group(3) == null ? time : LocalTime.parse(time + ":" + clock.group(3));
    }

    private boolean isZone(String word) {
        if (word.equals("z") || word.equals("utc")) {
            offset = ZoneOffset.UTC;
        } else if (word.startsWith("+") || word.startsWith("-")) {
            offset = ZoneOffset.of(word);
        } else if (!word.isEmpty() && Character.isLetter(word.charAt(0))) {
            offset = zone.offset(word);
            abbreviation = word.toUpperCase(Locale.ROOT);
        }
        return offset != null;
    }

    private Instant instant(int direction) {
        ZoneId where = offset == null ? zone.id() : offset;
        ZonedDateTime present = Times.instant(now).atZone(where);
        LocalDate date = date(present.toLocalDate());
        if (date != null) {
            return instant(date, where);
        }
        date = present.toLocalDate();
        while (!isMeant(date, present, direction)) {
            date = date.plusDays(direction);
        }
        return instant(date, where);
    }

    /** Returns the date that the text gives; null if it gives a weekday or no day. */
    private @Nullable LocalDate date(LocalDate today) {
        return switch (day == null ? "" : day) {
            case "today" -> today;
            case "tomorrow" -> today.plusDays(1);
            case "yesterday" -> today.minusDays(1);
            default -> day == null || day.charAt(0) > '9' ? null : LocalDate.parse(day);
        };
    }

    /** Returns whether the date has the right weekday, and the time on that date is after now or, if {@code direction} is -1, not. */
    private boolean isMeant(LocalDate date, ZonedDateTime present, int direction) {
        boolean isDay = day == null
                || WEEK.indexOf(day.substring(0, 3)) == date.getDayOfWeek().getValue() - 1;
        ZonedDateTime then = time == null
                ? date.atStartOfDay(present.getZone())
                : date.atTime(time).atZone(present.getZone());
        return isDay && (direction > 0 ? then.withLaterOffsetAtOverlap().isAfter(present) : !then.isAfter(present));
    }

    private Instant instant(LocalDate date, ZoneId where) {
        if (time == null) {
            return date.atStartOfDay(where).toInstant();
        }
        LocalDateTime local = date.atTime(time);
        ZoneOffsetTransition change = where.getRules().getTransition(local);
        if (change != null) {
            String sentence = change.isGap() ? "does not exist" : "exists twice";
            throw refusal(
                    "the local time " + date + " " + time + " " + sentence + " in " + zone.id(),
                    local.toInstant(change.getOffsetBefore()),
                    local.toInstant(change.getOffsetAfter()));
        }
        Instant instant = local.atZone(where).toInstant();
        ZoneOffset real = zone.id().getRules().getOffset(instant);
        if (abbreviation != null && !real.equals(offset)) {
            throw refusal(
                    zone.id() + " does not have " + abbreviation + " at " + date + " " + time,
                    instant,
                    local.toInstant(real));
        }
        return instant;
    }

    private Failure refusal(String sentence, Instant first, Instant second) {
        return new Failure(
                Exit.USAGE,
                "\"" + text + "\": " + sentence,
                "give \"" + zone.text(first) + "\" or \"" + zone.text(second) + "\"");
    }
}
