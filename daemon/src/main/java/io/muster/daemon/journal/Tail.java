package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/** Reads durable events from the newest to older ones, so that the last few of a long journal cost little. */
public final class Tail {
    private static final int CHUNK = 1 << 18;
    /** A line that is longer ends the reading: the R of a large system is not worth the time. */
    private static final int LONGEST = 16 << 20;

    private final Disk disk;
    private final Predicate<JournalRecord> reader;
    private long expected;

    private Tail(Disk disk, long lastSeq, Predicate<JournalRecord> reader) {
        this.disk = disk;
        this.reader = reader;
        this.expected = lastSeq;
    }

    /**
     * Reads until an event is missing or damaged, or the first event is read.
     *
     * @param lastSeq the seq of the event to begin with, which must be durable
     * @param reader receives each event, and returns whether it wants an earlier one
     */
    public static void read(Disk disk, long lastSeq, Predicate<JournalRecord> reader) throws IOException {
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
    private boolean isWanted(byte[] bytes, int start, int end) throws IOException {
        if (!Line.intact(bytes, start, end)) {
            return false;
        }
        JournalRecord event;
        try {
            event = JournalRecord.parse(bytes, start + Line.PREFIX, end - start - Line.PREFIX);
        } catch (IOException noEvent) {
            return false;
        }
        if (event.seq() > expected) {
            return true;
        }
        boolean next = event.seq() == expected;
        expected--;
        return next && reader.test(event);
    }
}
