package io.muster.daemon.journal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.NotJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** One event as it is written in a segment. The caller may change the JSON tree. */
public final class JournalRecord {
    private final ObjectNode event;
    private final byte[] line;
    private final long seq;
    private final long durable;
    private final int more;

    private JournalRecord(ObjectNode event, byte[] line) {
        this.event = event;
        this.line = line;
        this.seq = event.path("seq").longValue();
        this.durable = event.path("durable").longValue();
        this.more = event.path("more").intValue();
    }

    /**
     * Reads an event.
     *
     * @param bytes a line without its checksum and newline
     * @throws IOException whose message says what is wrong with the line
     */
    static JournalRecord parse(byte[] bytes, int offset, int length) throws IOException {
        JournalRecord record =
                new JournalRecord(object(bytes, offset, length), Arrays.copyOfRange(bytes, offset, offset + length));
        if (record.seq < 1 || record.durable < 0 || record.durable >= record.seq || record.more < 0) {
            throw new IOException("seq, durable or more is missing or invalid");
        }
        if (!record.event.path("timestamp").isNumber()
                || !record.event.path("name").isTextual()) {
            throw new IOException("timestamp or name is missing");
        }
        return record;
    }

    static ObjectNode object(byte[] bytes, int offset, int length) throws IOException {
        try {
            JsonNode node = StrictJson.stored(bytes, offset, length);
            if (node instanceof ObjectNode object) {
                return object;
            }
            throw new IOException("not a JSON object");
        } catch (JsonProcessingException e) {
            throw new IOException("not JSON: " + NotJson.sentence(e), e);
        }
    }

    public long seq() {
        return seq;
    }

    /** Returns the last seq that was on disk when this line was written. Lines with the same value were written together. */
    public long durable() {
        return durable;
    }

    /** Returns the number of events of the same command that follow this one. */
    public int more() {
        return more;
    }

    public double timestamp() {
        return event.path("timestamp").doubleValue();
    }

    public String name() {
        return event.path("name").textValue();
    }

    /** Returns the event's context; empty if the event has none. */
    public ObjectNode context() {
        return event.path("context") instanceof ObjectNode context ? context : event.objectNode();
    }

    /** Returns the whole JSON object, including {@code seq} and the other keys that the journal adds. */
    public ObjectNode event() {
        return event;
    }

    /** Returns the line as it was written, without its checksum. */
    public String json() {
        return new String(line, StandardCharsets.UTF_8);
    }

    /**
     * Returns the bytes of the event as it was submitted; null if another program wrote the line and did not put the
     * journal's keys first.
     */
    public byte @Nullable [] submitted() {
        int comma = comma();
        if (comma < 0) {
            return null;
        }
        byte[] bytes = Arrays.copyOfRange(line, comma, line.length);
        bytes[0] = '{';
        return bytes;
    }

    /**
     * Returns a number that depends on the length and on each byte of the event as it was submitted: two different events
     * hardly ever have the same number. Returns 0 where {@link #submitted} is null.
     */
    public long fingerprint() {
        int comma = comma();
        if (comma < 0) {
            return 0;
        }
        CRC32C crc = new CRC32C();
        crc.update(line, comma, line.length - comma);
        return (long) (line.length - comma) << Integer.SIZE | crc.getValue();
    }

    /** Returns the offset of the comma after the keys that the journal adds; -1 if these do not come first. */
    private int comma() {
        byte[] head = Line.head(seq, durable, more).getBytes(StandardCharsets.US_ASCII);
        boolean first = line.length > head.length && Arrays.equals(line, 0, head.length, head, 0, head.length);
        return first ? head.length - 1 : -1;
    }

    @Override
    public String toString() {
        return json();
    }
}
