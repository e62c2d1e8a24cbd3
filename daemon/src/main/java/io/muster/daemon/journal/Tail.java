package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads durable events from the newest to older ones, so that the last few of a long journal cost little. A line in the form that
 * the daemon writes is not parsed, because parsing ten thousand lines would make a start longer.
 */
public final class Tail {
    /** The number of bytes at the end of a segment that are read first. */
    private static final int LEAST = 1 << 18;
    /** The highest number of bytes that are read at once; the R of a large system is not worth the time. */
    private static final int MOST = 16 << 20;
    /** Events that contain documents from outside, which are parsed in any case. */
    private static final Set<String> PARSED = Set.of("resource-define", "annotate");

    private final Disk disk;
    private final Reader receiver;
    private long expected;

    /** The calls that pass on the events that were found, the oldest first. */
    private final List<BooleanSupplier> found = new ArrayList<>();

    /** Receives events, and returns whether an earlier event is wanted. */
    public interface Reader {
        /** @param json the event as it was submitted, in ASCII without escapes */
        boolean plain(long seq, double timestamp, String name, byte[] json);

        boolean parsed(JournalRecord event);
    }

    private Tail(Disk disk, long lastSeq, Reader receiver) {
        this.disk = disk;
        this.receiver = receiver;
        this.expected = lastSeq;
    }

    /**
     * Reads until an event is missing or damaged, or the first event is read.
     *
     * @param lastSeq the seq of the event to begin with, which must be durable
     */
    public static void read(Disk disk, long lastSeq, Reader receiver) throws IOException {
        Tail tail = new Tail(disk, lastSeq, receiver);
        List<Segment> segments = Segment.list(disk);
        boolean more = true;
        for (int i = segments.size() - 1; i >= 0 && more && tail.expected > 0; i--) {
            more = segments.get(i).first() > tail.expected || tail.read(segments.get(i));
        }
    }

    /** @return whether the segment before this one is to be read */
    private boolean read(Segment segment) throws IOException {
        long end = segment.size();
        int length = LEAST;
        boolean wanted = true;
        while (wanted && length <= MOST && end > 0 && expected >= segment.first()) {
            try (SegmentReader reader = SegmentReader.open(disk, segment, end)) {
                long head = reader.position();
                long from = Math.max(head, end - length);
                reader.select(this::isParsed, expected);
                reader.seek(from, 0);
                JournalRecord first = reader.next(); // null if the offset is in the middle of a line
                long begin = first == null ? reader.position() : from;
                keep(first);
                wanted = readOn(reader);
                length = begin == end ? 2 * length : LEAST;
                end = from == head ? 0 : begin;
            }
        }
        return wanted && expected == segment.first() - 1;
    }

    /**
     * Reads the lines up to the end, and passes on those after the last damage.
     *
     * @return whether earlier events are wanted and may follow
     */
    private boolean readOn(SegmentReader reader) throws IOException {
        boolean sound = true;
        JournalRecord event;
        do {
            event = reader.next();
            keep(event);
            if (reader.damage() != null) {
                found.clear();
                sound = false;
            }
        } while (event != null || reader.damage() != null);
        boolean wanted = found.isEmpty() || reader.lastSeq() == expected;
        for (int i = found.size() - 1; i >= 0 && wanted; i--) {
            expected--;
            wanted = found.get(i).getAsBoolean();
        }
        found.clear();
        return wanted && sound;
    }

    private void keep(@Nullable JournalRecord event) {
        if (event != null && event.seq() <= expected) {
            found.add(() -> receiver.parsed(event));
        }
    }

    private boolean isParsed(PlainLine line) {
        String name = line.name();
        if (PARSED.contains(name) || !line.isAscii()) {
            return true;
        }
        long seq = line.seq();
        double timestamp = line.timestamp();
        byte[] json = line.submitted();
        found.add(() -> receiver.plain(seq, timestamp, name, json));
        return false;
    }
}
