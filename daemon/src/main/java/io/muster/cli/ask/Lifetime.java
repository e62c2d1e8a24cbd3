package io.muster.cli.ask;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.axis.Times;
import io.muster.inventory.rset.ResourceSet;

/**
 * When the resources of R may be used.
 *
 * @param start seconds since the epoch; 0 if R names no start
 * @param end seconds since the epoch; 0 for never
 */
public record Lifetime(double start, double end) {
    public static Lifetime of(ResourceSet resources) {
        return new Lifetime(resources.starttime(), resources.expiration());
    }

    /** Returns both times, as far as R names them; "" if R names none. */
    public String text(double now, Zone zone) {
        String from = start <= 0 ? "" : (start > now ? "starts " : "started ") + time(start, now, zone);
        String to = end <= 0 ? "" : (end > now ? "expires " : "expired ") + time(end, now, zone);
        return from + (from.isEmpty() || to.isEmpty() ? "" : ", ") + to;
    }

    /** Returns a time and its distance from now. */
    public static String time(double time, double now, Zone zone) {
        String distance = time > now ? "in " + Times.span(time - now) : Times.span(now - time) + " ago";
        return zone.second(time) + " (" + distance + ")";
    }

    public void writeTo(ObjectNode json) {
        json.put("starttime", start <= 0 ? null : Times.rfc3339(start));
        json.put("expiration", end <= 0 ? null : Times.rfc3339(end));
    }
}
