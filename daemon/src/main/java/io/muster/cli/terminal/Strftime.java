package io.muster.cli.terminal;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Map;

/** Formats the time in a cell as strftime(3) does, in English. */
public final class Strftime {
    private static final Map<Character, String> PATTERNS = Map.ofEntries(
            Map.entry('a', "EEE"),
            Map.entry('A', "EEEE"),
            Map.entry('b', "MMM"),
            Map.entry('h', "MMM"),
            Map.entry('B', "MMMM"),
            Map.entry('c', "EEE MMM ppd HH:mm:ss uuuu"),
            Map.entry('d', "dd"),
            Map.entry('D', "MM/dd/yy"),
            Map.entry('e', "ppd"),
            Map.entry('F', "uuuu-MM-dd"),
            Map.entry('H', "HH"),
            Map.entry('I', "hh"),
            Map.entry('j', "DDD"),
            Map.entry('m', "MM"),
            Map.entry('M', "mm"),
            Map.entry('p', "a"),
            Map.entry('R', "HH:mm"),
            Map.entry('S', "ss"),
            Map.entry('T', "HH:mm:ss"),
            Map.entry('y', "yy"),
            Map.entry('Y', "uuuu"),
            Map.entry('z', "xx"),
            Map.entry('Z', "zzz"));

    private Strftime() {}

    /**
     * Returns a time in another format.
     *
     * @param cell a time by RFC 3339; anything else gives ""
     */
    public static String of(String cell, String format, ZoneId zone) {
        if (cell.length() < 20 || cell.charAt(10) != 'T') {
            return "";
        }
        ZonedDateTime time = Instant.parse(cell).atZone(zone);
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c == '%' && i + 1 < format.length()) {
                i++;
                out.append(directive(format.charAt(i), time));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    /** Returns the value of a directive. An unknown directive is left unchanged. */
    private static String directive(char c, ZonedDateTime time) {
        if (c == 's') {
            return Long.toString(time.toEpochSecond());
        }
        String pattern = PATTERNS.get(c);
        return pattern != null
                ? DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH).format(time)
                : c == '%' ? "%" : "%" + c;
    }
}
