package io.muster.cli.terminal;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Locale;

/** Formats the time in a cell as strftime(3) does, in English. */
public final class Strftime {
    /** The directives that {@link java.util.Formatter} has with the same meaning. */
    private static final String SHARED = "aAbBdDFhHIjmMRsSTyYzZ";

    private Strftime() {}

    /**
     * Returns a time in another format.
     *
     * @param cell a time by RFC 3339; anything else gives ""
     */
    public static String of(String cell, String format, ZoneId zone) {
        boolean isTime = cell.length() >= 20 && cell.charAt(10) == 'T';
        return isTime ? of(Instant.parse(cell).atZone(zone), format) : "";
    }

    private static String of(ZonedDateTime time, String format) {
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
        return switch (c) {
            case '%' -> "%";
            case 'c' -> of(time, "%a %b %e %T %Y");
            case 'e' -> String.format(Locale.ENGLISH, "%2te", time);
            case 'p' -> String.format(Locale.ENGLISH, "%Tp", time);
            default -> SHARED.indexOf(c) < 0 ? "%" + c : String.format(Locale.ENGLISH, "%t" + c, time);
        };
    }
}
