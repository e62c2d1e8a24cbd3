package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads all events that the state directory still has, including history, one at a time and oldest first. Needs no lock:
 * while a daemon runs, the dump ends with the last event written so far.
 */
public final class JournalDump implements Closeable {
    private final Disk disk;
    private final List<Segment> segments;
    private final Range range;
    private final Consumer<CorruptException> damaged;
    private int at;
    private long bytesBefore;
    private @Nullable SegmentReader reader;

    /**
     * The events to read; both ends are included.
     *
     * @param since seconds since the epoch
     */
    public record Range(long firstSeq, long lastSeq, double since, double until) {
        public static final Range ALL = new Range(1, Long.MAX_VALUE, 0, Double.MAX_VALUE);

        boolean contains(JournalRecord event) {
            return event.seq() >= firstSeq
                    && event.seq() <= lastSeq
                    && event.timestamp() >= since
                    && event.timestamp() <= until;
        }
    }

    private JournalDump(Disk disk, List<Segment> segments, Range range, Consumer<CorruptException> damaged) {
        this.disk = disk;
        this.segments = segments;
        this.range = range;
        this.damaged = damaged;
    }

    /**
     * Opens a dump that begins with the segment that has the first seq of the range.
     *
     * @param damaged receives each line that cannot be read; the dump continues after that line
     */
    public static JournalDump open(Disk disk, Range range, Consumer<CorruptException> damaged) throws IOException {
        List<Segment> all = Segment.list(disk);
        int from = 0;
        while (from + 1 < all.size() && all.get(from + 1).first() <= range.firstSeq()) {
            from++;
        }
        return new JournalDump(disk, all.subList(from, all.size()), range, damaged);
    }

    /** Returns the next event in the range, or null at the end. */
    public @Nullable JournalRecord next() throws IOException {
        while (reader != null || advance()) {
            SegmentReader current = reader;
            JournalRecord event = current == null ? null : current.next();
            if (event != null && event.seq() > range.lastSeq()) {
                at = segments.size();
                close();
            } else if (event != null && range.contains(event)) {
                return event;
            } else if (event == null && current != null) {
                pass(current);
            }
        }
        return null;
    }

    private void pass(SegmentReader current) throws IOException {
        CorruptException damage = current.damage();
        boolean beingWritten = current.unfinished() && at == segments.size();
        if (damage == null || beingWritten) {
            bytesBefore += current.position();
            close();
        } else {
            damaged.accept(damage);
        }
    }

    private boolean advance() throws IOException {
        if (at == segments.size() || segments.get(at).first() > range.lastSeq()) {
            return false;
        }
        at++;
        try {
            reader = SegmentReader.open(disk, segments.get(at - 1));
        } catch (NoSuchFileException deleted) {
            // A daemon deleted this segment, which was old history, after the directory was listed. The dump
            // continues with the next segment.
            return advance();
        }
        CorruptException damage = reader.damage();
        if (damage != null) {
            damaged.accept(damage);
        }
        return true;
    }

    /** Returns the number of bytes read so far, out of {@link #totalBytes}, for a progress bar. */
    public long bytesRead() {
        return bytesBefore + (reader == null ? 0 : reader.position());
    }

    public long totalBytes() {
        return segments.stream().mapToLong(Segment::size).sum();
    }

    @Override
    public void close() throws IOException {
        if (reader != null) {
            reader.close();
            reader = null;
        }
    }
}
