package io.muster.protocol.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * RFC 44 "journal response". What came before and what comes after the first one without events are history and news.
 *
 * @param resources R as it is now; there when an event (re)defines it
 */
public record JournalBatch(
        List<JournalEvent> events, @Nullable ResourceSet resources) {
    /** "From here on it is live." */
    public static final JournalBatch SENTINEL = new JournalBatch(List.of(), null);

    public JournalBatch {
        events = List.copyOf(events);
    }

    public boolean isSentinel() {
        return events.isEmpty();
    }

    /** @throws io.muster.inventory.problem.InvalidException if it is something else, naming the place */
    public static JournalBatch parse(JsonNode payload) {
        Members in = Members.of("resource.journal", payload);
        List<JournalEvent> events = new ArrayList<>();
        in.list("events").forEach(event -> events.add(JournalEvent.read(event)));
        return new JournalBatch(events, in.has("R") ? in.resources("R") : null);
    }

    public Bytes encode() {
        ObjectNode payload = JsonNodeFactory.instance.objectNode();
        ArrayNode array = payload.putArray("events");
        events.forEach(event -> event.write(array.addObject()));
        if (resources != null) {
            payload.set("R", resources.toJson());
        }
        return Json.encode(payload);
    }

    /**
     * RFC 18 "event", whatever it is named: a journal may have kinds that this program has never heard of.
     */
    public static final class JournalEvent {
        private final double timestamp;
        private final String name;
        private final ObjectNode context;

        /** @param context copied; empty for an event without one, as {@code truncate} is */
        public JournalEvent(double timestamp, String name, ObjectNode context) {
            this.timestamp = timestamp;
            this.name = name;
            this.context = context.deepCopy();
        }

        private static JournalEvent read(Members event) {
            ObjectNode context =
                    event.has("context") ? event.object("context").json() : JsonNodeFactory.instance.objectNode();
            return new JournalEvent(event.number("timestamp"), event.text("name"), context);
        }

        private void write(ObjectNode event) {
            event.put("timestamp", timestamp).put("name", name);
            if (!context.isEmpty()) {
                event.set("context", context.deepCopy());
            }
        }

        /** Seconds since the epoch. */
        public double timestamp() {
            return timestamp;
        }

        public String name() {
            return name;
        }

        /** The caller's own copy. */
        public ObjectNode context() {
            return context.deepCopy();
        }

        @Override
        public boolean equals(@Nullable Object o) {
            return o instanceof JournalEvent that
                    && timestamp == that.timestamp
                    && name.equals(that.name)
                    && context.equals(that.context);
        }

        @Override
        public int hashCode() {
            return Objects.hash(timestamp, name, context);
        }

        /** As RFC 18 writes it. */
        @Override
        public String toString() {
            ObjectNode event = JsonNodeFactory.instance.objectNode();
            write(event);
            return Json.encode(event).text();
        }
    }
}
