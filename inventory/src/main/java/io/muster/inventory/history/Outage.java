package io.muster.inventory.history;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.axis.Times;
import java.util.Locale;

/**
 * An interval of time in which something kept a host from being scheduled, or in which the host or a part of it had a mark or a
 * tag.
 *
 * @param holder the holder of the hold if the host was drained; the path below the host if the interval is that of a mark or tag;
 *     otherwise ""
 * @param reason "" for none
 * @param purpose the class and the ticket of a hold; {@link Purpose#NONE} for others
 * @param from the beginning in seconds since the epoch; 0 if the interval began before the known events
 * @param by the user that began the interval; "" if unknown
 * @param to the end in seconds since the epoch; 0 if the interval has not ended
 * @param endedBy the user that ended the interval; "" if unknown
 * @param comment the comment that was given at the end
 */
public record Outage(
        Kind kind,
        String holder,
        String reason,
        Purpose purpose,
        double from,
        String by,
        double to,
        String endedBy,
        String comment) {
    public enum Kind {
        DRAINED,
        EXCLUDED,
        LOST,
        OFFLINE,
        TORPID,
        MARKED,
        TAGGED;

        /** Returns whether the interval is that of a mark or tag. */
        public boolean isNote() {
            return this == MARKED || this == TAGGED;
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Outage open(Kind kind, String holder, String reason, double from, String by) {
        return new Outage(kind, holder, reason, Purpose.NONE, from, by, 0, "", "");
    }

    Outage of(Purpose other) {
        return new Outage(kind, holder, reason, other, from, by, to, endedBy, comment);
    }

    public Outage ended(double time, String user, String endComment) {
        return new Outage(kind, holder, reason, purpose, from, by, time, user, endComment);
    }

    public boolean isOpen() {
        return to == 0;
    }

    /** Returns the length, in seconds, of the part of this interval between two times. */
    public double within(double since, double until) {
        double end = isOpen() ? until : Math.min(to, until);
        return Math.max(0, end - Math.max(from, since));
    }

    /** Returns the interval, with its length if it has ended, because the document depends on nothing but the past. */
    public ObjectNode toJson() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("kind", kind.word());
        json.put("holder", holder.isEmpty() || kind.isNote() ? null : holder);
        if (kind.isNote()) {
            json.put("path", holder);
        }
        json.put("reason", reason);
        purpose.words().forEach(json::put);
        json.put("from", from == 0 ? null : Times.rfc3339(from));
        json.put("by", by);
        json.put("to", isOpen() ? null : Times.rfc3339(to));
        json.put("ended_by", endedBy);
        json.put("comment", comment);
        if (from > 0 && !isOpen()) {
            json.put("seconds", Math.rint(to - from));
        }
        return json;
    }
}
