package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Reads durable events from the newest to older ones, so that the last few of a long journal cost little. A line in the form that
 * the daemon writes is not parsed, because parsing ten thousand lines would make a start longer.
 */
public final class Tail {
    private static final int CHUNK = 1 << 18;
    /** A line that is longer ends the reading: the R of a large system is not worth the time. */
    private static final int LONGEST = 16 << 20;

    private static final String TIMESTAMP = ",\"timestamp\":";
    private static final String NAME = ",\"name\":\"";
    /** The highest number of characters before the end of an event's name. */
    private static final int HEAD = 200;
    /** Events that contain documents from outside, which are parsed in any case. */
    private static final Set<String> PARSED = Set.of("resource-define", "annotate");

    private final Disk disk;
    private final Reader reader;
    private long expected;

    /** Receives events, and returns whether an earlier event is wanted. */
    public interface Reader {
        /** @param json the event as it was submitted, in ASCII without escapes */
        boolean plain(long seq, double timestamp, String name, byte[] json);

        boolean parsed(JournalRecord event);
    }

    private Tail(Disk disk, long lastSeq, Reader reader) {
        this.disk = disk;
        this.reader = reader;
        this.expected = lastSeq;
    }

    /**
     * Reads until an event is missing or damaged, or the first event is read.
     *
     * @param lastSeq the seq of the event to begin with, which must be durable
     */
    public static void read(Disk disk, long lastSeq, Reader reader) throws IOException {
        Tail tail = new Tail(disk, lastSeq, reader);
        List<Segment> segments = Segment.list(disk);
        boolean more = true;
        for (int i = segments.size() - 1; i >= 0 && more && tail.expected > 0; i--) {
            more = segments.get(i).first() > tail.expected || tail.read(segments.get(i));
        }
    }

    /** @return whether the segment before this one is to be read */
    private boolean read(Segment segment) throws IOException {
        try (Disk.File file = disk.open(segment.name(), Disk.Access.READ)) {
            long position = segment.size();
            byte[] bytes = new byte[0];
            while (position > 0 && bytes.length <= LONGEST) {
                int length = (int) Math.min(CHUNK, position);
                byte[] longer = new byte[length + bytes.length];
                System.arraycopy(bytes, 0, longer, length, bytes.length);
                position -= length;
                file.read(ByteBuffer.wrap(longer, 0, length), position);
                int end = newlineBefore(longer, longer.length) + 1; // what follows in a file is no line
                int newline = newlineBefore(longer, end - 1);
                while (newline >= 0) {
                    if (!isWanted(longer, newline + 1, end - 1)) {
                        return false;
                    }
                    end = newline + 1;
                    newline = newlineBefore(longer, newline);
                }
                bytes = end == 0 ? longer : Arrays.copyOf(longer, end);
            }
            return position == 0 && expected == segment.first() - 1; // what is left is the head of the segment
        }
    }

    private static int newlineBefore(byte[] bytes, int end) {
        int i = end - 1;
        while (i >= 0 && bytes[i] != '\n') {
            i--;
        }
        return i;
    }

    /** @return whether an earlier line is to be read */
    private boolean isWanted(byte[] bytes, int start, int end) {
        if (!Line.intact(bytes, start, end)) {
            return false;
        }
        int json = start + Line.PREFIX;
        String head = new String(bytes, json, Math.min(end - json, HEAD), StandardCharsets.ISO_8859_1);
        String seq = "{\"seq\":" + expected + ",\"durable\":";
        int timestamp = head.indexOf(TIMESTAMP, seq.length());
        int name = head.indexOf(NAME, timestamp + 1);
        int nameEnd = head.indexOf('"', name + NAME.length());
        if (!head.startsWith(seq) || timestamp < 0 || name < 0 || nameEnd < 0 || !isPlain(bytes, json, end)) {
            return isParsedWanted(bytes, json, end);
        }
        String word = head.substring(name + NAME.length(), nameEnd);
        if (PARSED.contains(word)) {
            return isParsedWanted(bytes, json, end);
        }
        byte[] submitted = Arrays.copyOfRange(bytes, json + timestamp, end);
        submitted[0] = '{';
        double time = Double.parseDouble(head.substring(timestamp + TIMESTAMP.length(), name));
        return reader.plain(expected--, time, word, submitted);
    }

    private boolean isParsedWanted(byte[] bytes, int json, int end) {
        JournalRecord event;
        try {
            event = JournalRecord.parse(bytes, json, end - json);
        } catch (IOException noEvent) {
            return false;
        }
        if (event.seq() > expected) {
            return true;
        }
        boolean next = event.seq() == expected;
        expected--;
        return next && reader.parsed(event);
    }

    private static boolean isPlain(byte[] bytes, int start, int end) {
        for (int i = start; i < end; i++) {
            if (bytes[i] < ' ' || bytes[i] == 0x7f || bytes[i] == '\\') {
                return false;
            }
        }
        return true;
    }
}
