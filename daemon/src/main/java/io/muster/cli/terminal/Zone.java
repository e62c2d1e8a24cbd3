package io.muster.cli.terminal;

import io.muster.inventory.axis.Times;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneRulesProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The time zone in which times are printed and read: {@link When} reads every time that this class prints as the same instant.
 * Java needs many milliseconds to load zones, so nothing is loaded before it is used.
 */
public final class Zone {
    private static final String SYSTEM = "/etc/localtime";
    private static final String FILES = "/usr/share/zoneinfo/";

    /** A rule by POSIX, such as {@code CET-1CEST,M3.5.0,M10.5.0/3} or {@code IST-1GMT0}; its offsets count to the west. */
    private static final String RULE =
            "([A-Za-z]{3,})([+-]?)(\\d+)(?::(\\d+))?(?:([A-Za-z]{3,})(?:([+-]?)(\\d+)(?::(\\d+))?)?)?(?:,.*)?";

    private final Console console;
    private @Nullable ZoneId id;
    private @Nullable Map<ZoneOffset, String> names;

    /** @param id null for the zone of the user, which is found when it is used */
    public Zone(Console console, @Nullable ZoneId id) {
        this.console = console;
        this.id = id;
    }

    /** Returns the zone that TZ names; without TZ, the zone of the system. A TZ that names no zone stands for UTC, as in libc. */
    private ZoneId find() {
        String given = console.environment().getOrDefault("TZ", SYSTEM);
        String name = given.startsWith(":") ? given.substring(1) : given;
        if (name.equals(SYSTEM)) {
            return ofTheSystem();
        }
        try {
            return name.isEmpty() ? ZoneOffset.UTC : named(name);
        } catch (DateTimeException e) {
            console.complain(
                    "muster: TZ=" + given + " is not the name of a time zone, so times are in UTC; set TZ to a name"
                            + " such as Europe/Berlin, or use --tz");
            return ZoneOffset.UTC;
        }
    }

    private static ZoneId ofTheSystem() {
        try {
            return named(Files.readSymbolicLink(Path.of(SYSTEM)).toString());
        } catch (IOException | DateTimeException e) {
            return ZoneId.systemDefault();
        }
    }

    /**
     * Returns a zone by its name or its file, or by its offset from UTC. Names such as {@code UTC+5} are refused, because
     * Java and POSIX disagree on their sign.
     */
    public static ZoneId named(String text) {
        String name = text.substring(text.startsWith(FILES) ? FILES.length() : 0);
        if (name.equals("UTC") || name.equals("Etc/UTC")) {
            return ZoneOffset.UTC;
        }
        if (name.startsWith("+") || name.startsWith("-")) {
            return ZoneOffset.of(name);
        }
        var unused = ZoneRulesProvider.getRules(name, true);
        return ZoneId.of(name);
    }

    public ZoneId id() {
        ZoneId known = id;
        if (known == null) {
            known = find();
            id = known;
        }
        return known;
    }

    /** Returns a time, rounded to the second, with its zone: {@code 2026-11-24 16:00:00 CET}. */
    public String second(double epoch) {
        return text(Instant.ofEpochSecond(Math.round(epoch)));
    }

    /** Returns a time with its zone and with as many decimals as necessary. */
    public String exact(double epoch) {
        return text(Times.instant(epoch));
    }

    String text(Instant instant) {
        ZonedDateTime time = instant.atZone(id());
        String clock = time.toLocalTime().toString();
        return time.toLocalDate() + " " + clock + (clock.length() == 5 ? ":00 " : " ") + name(time.getOffset());
    }

    /** Returns the abbreviation that stands for an offset in this zone, or the offset if there is none. */
    String name(ZoneOffset offset) {
        return names().getOrDefault(offset, offset.equals(ZoneOffset.UTC) ? "UTC" : offset.getId());
    }

    /** Returns the offset that an abbreviation, in capital or small letters, has in this zone; null if it has none. */
    @Nullable
    ZoneOffset offset(String abbreviation) {
        for (Map.Entry<ZoneOffset, String> name : names().entrySet()) {
            if (name.getValue().equalsIgnoreCase(abbreviation)) {
                return name.getKey();
            }
        }
        return null;
    }

    /**
     * Reads the abbreviations from the rule for present and future years in the last line of the zone's file. They are those
     * that date(1) prints. Java has such names, too, but needs 40 ms to load them.
     */
    private Map<ZoneOffset, String> names() {
        Map<ZoneOffset, String> known = names;
        if (known == null) {
            known = new HashMap<>();
            names = known;
            if (!(id() instanceof ZoneOffset)) {
                Matcher rule = Pattern.compile(RULE).matcher(lastLine(Path.of(FILES + id().getId())));
                if (rule.matches()) {
                    int standard = seconds(rule, 2);
                    known.put(ZoneOffset.ofTotalSeconds(standard), rule.group(1));
                    if (rule.group(5) != null) {
                        int summer = rule.group(7) == null ? standard + 3600 : seconds(rule, 6);
                        known.putIfAbsent(ZoneOffset.ofTotalSeconds(summer), rule.group(5));
                    }
                }
            }
        }
        return known;
    }

    /** Returns seconds to the east, from the sign, the hours and the minutes in three groups. */
    private static int seconds(Matcher rule, int sign) {
        String minutes = rule.group(sign + 2);
        int west =
                3600 * Integer.parseInt(rule.group(sign + 1)) + (minutes == null ? 0 : 60 * Integer.parseInt(minutes));
        return "-".equals(rule.group(sign)) ? west : -west;
    }

    private static String lastLine(Path file) {
        try {
            String text = Files.readString(file, StandardCharsets.ISO_8859_1).stripTrailing();
            return text.substring(text.lastIndexOf('\n') + 1);
        } catch (IOException e) {
            return "";
        }
    }
}
