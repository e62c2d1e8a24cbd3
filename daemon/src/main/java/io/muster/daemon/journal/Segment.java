package io.muster.daemon.journal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One file of the journal. Its name and its first line, the head, contain the seq of its first event.
 *
 * @param first the seq of the first event, or of the next event if the segment has none yet
 */
record Segment(long first, long size, Instant modified) {
    static final String DIRECTORY = "journal";
    static final String UNFINISHED = ".tmp";

    private static final String SUFFIX = ".log";
    private static final int DIGITS = 16;

    static String name(long first) {
        return DIRECTORY + "/" + String.format(Locale.ROOT, "%0" + DIGITS + "d", first) + SUFFIX;
    }

    String name() {
        return name(first);
    }

    /** Returns all segments, ordered by their first seq. Other files in the directory are ignored. */
    static List<Segment> list(Disk disk) throws IOException {
        List<Segment> segments = new ArrayList<>();
        for (Disk.Entry entry : disk.list(DIRECTORY)) {
            long first = first(entry.name());
            if (first > 0) {
                segments.add(new Segment(first, entry.size(), entry.modified()));
            }
        }
        return segments;
    }

    private static long first(String name) {
        if (name.length() != DIGITS + SUFFIX.length() || !name.endsWith(SUFFIX)) {
            return -1;
        }
        long first = 0;
        for (int i = 0; i < DIGITS; i++) {
            int digit = name.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            first = 10 * first + digit;
        }
        return first;
    }

    static ByteBuffer head(long first, Level level, double now) {
        ByteBuffer head = ByteBuffer.allocate(256);
        Line.encode(
                head,
                String.format(
                        Locale.ROOT,
                        "{\"timestamp\":%.6f,\"name\":\"journal-segment\",\"context\":{\"version\":%d,\"first\":%d,\"needs\":\"%s\"}}",
                        now,
                        level.number(),
                        first,
                        level.needs()));
        return head.flip();
    }

    /** The number of the level that an intact head names. */
    static int level(byte[] head, int length) throws IOException {
        return JournalRecord.object(head, Line.PREFIX, length - Line.PREFIX)
                .path("context")
                .path("version")
                .asInt();
    }

    /** Returns when a segment was begun, which is when the segment before it ended, by the clock of the daemon. */
    static Instant begun(byte[] head, int length) throws IOException {
        return Instant.ofEpochMilli(JournalRecord.object(head, Line.PREFIX, length - Line.PREFIX)
                .path("timestamp")
                .decimalValue()
                .movePointRight(3)
                .longValue());
    }

    /** Returns what is wrong with a head, or null. */
    static @Nullable String wrongHead(byte[] line, int length, long first) {
        if (!Line.intact(line, length)) {
            return "the head of the segment is damaged";
        }
        try {
            ObjectNode head = JournalRecord.object(line, Line.PREFIX, length - Line.PREFIX);
            JsonNode context = head.path("context");
            if (!head.path("name").asText().equals("journal-segment")) {
                return "the head of the segment is missing";
            }
            int level = context.path("version").asInt();
            if (!Level.isKnown(level)) {
                return "it is written in "
                        + Level.unknown(level, context.path("needs").asText());
            }
            long claimed = context.path("first").asLong();
            return claimed == first
                    ? null
                    : "its head says that it begins with seq " + claimed + ", and its name says another";
        } catch (IOException e) {
            return "the head of the segment is wrong: " + e.getMessage();
        }
    }
}
