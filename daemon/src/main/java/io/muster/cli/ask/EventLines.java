package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Printable;
import io.muster.cli.terminal.Strftime;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.status.EventText;
import java.util.List;
import java.util.Locale;

/** Formats events as flux prints an event log: the time, the name, and each key of the context with its value. */
public final class EventLines {
    public static final List<String> FORMATS = List.of("raw", "iso", "offset", "human", "reltime");

    private static final int MINUTE = 60;

    private final String format;
    private final Zone zone;
    private double first = Double.NaN;
    private double minute = Double.NaN;

    /** @param format the format of times, one of {@link #FORMATS} */
    public EventLines(String format, Zone zone) {
        this.format = format;
        this.zone = zone;
    }

    /** Returns an event as a line for people. */
    public static String text(ObjectNode event, Console console, Zone zone) {
        return EventText.of(fitting(event, console), zone::second);
    }

    /** Returns an event whose list of hosts takes at most half of a line of the terminal, if there is a terminal. */
    public static ObjectNode fitting(ObjectNode event, Console console) {
        int width = console.style().width();
        return width == 0 ? event : EventText.abridged(event, width / 2);
    }

    /**
     * Returns the line for the next event. Some formats give times relative to earlier lines, so events must be formatted in
     * order.
     */
    public String of(JsonNode event) {
        StringBuilder line = new StringBuilder(time(event.path("timestamp").asDouble()));
        line.append(' ').append(event.path("name").asText());
        EventText.fields(line, event, (key, value) -> value.toString());
        return Printable.of(line.toString());
    }

    private String time(double epoch) {
        first = Double.isNaN(first) ? epoch : first;
        return switch (format) {
            case "iso" -> Strftime.of(Times.rfc3339(epoch), "%FT%T.", zone.id()) + fraction(epoch) + offset(epoch);
            case "offset" -> String.format(Locale.ROOT, "%15.6f", epoch - first);
            case "human", "reltime" -> human(epoch);
            default -> String.format(Locale.ROOT, "%11.6f", epoch);
        };
    }

    /**
     * Returns the date and time for the first event in each minute; for later events, the number of seconds since that first
     * event.
     */
    private String human(double epoch) {
        if (epoch - minute < MINUTE) {
            return String.format(Locale.ROOT, "[%+11.6f]", epoch - minute);
        }
        minute = epoch;
        return Strftime.of(Times.rfc3339(epoch), "[%b%d %R]", zone.id());
    }

    private static String fraction(double epoch) {
        return String.format(Locale.ROOT, "%06d", Math.floorMod(Math.round(epoch * 1e6), 1_000_000L));
    }

    private String offset(double epoch) {
        String offset = Strftime.of(Times.rfc3339(epoch), "%z", zone.id());
        return offset.equals("+0000") ? "Z" : offset;
    }
}
