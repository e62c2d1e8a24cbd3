package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state directory at start: passes the snapshot and the events after it to a {@link Replay}, and opens the last
 * segment for appending.
 */
final class Recovery {
    private final Disk disk;
    private final Replay replay;
    private final LedgerListener listener;
    private final ByteBuffer buffer;
    private final double now;
    /** The highest level that a file names. */
    private Level level = Level.ONE;

    Recovery(Disk disk, Replay replay, LedgerListener listener, ByteBuffer buffer, double now) {
        this.disk = disk;
        this.replay = replay;
        this.listener = listener;
        this.buffer = buffer;
        this.now = now;
    }

    record Recovered(SegmentWriter writer, long snapshotSeq, long previousSeq, Level level) {}

    Recovered run() throws IOException {
        JournalCopy.refuseUnfinished(disk);
        disk.makeDirectory(Segment.DIRECTORY);
        dropUnfinished("");
        dropUnfinished(Segment.DIRECTORY + "/");
        Rebase.finish(disk, now, buffer);
        SnapshotFile snapshot = SnapshotFile.read(disk, SnapshotFile.FILE);
        long base = snapshot == null ? 0 : snapshot.seq();
        List<Segment> segments = needed(base);
        if (snapshot == null && SnapshotFile.isMissed(disk)) {
            throw new CorruptException(SnapshotFile.FILE, 0, 0, "it is missing, although the previous snapshot exists");
        }
        if (snapshot != null) {
            level = snapshot.level();
            replay.snapshot(snapshot.seq(), snapshot.timestamp(), snapshot.state());
        } else if (segments.isEmpty()) {
            level = replay.fresh();
            replay.begins(level);
        }
        SegmentWriter writer = segments.isEmpty() ? begin(base) : replayAll(segments, base);
        // Files that a killed process created may have their names in memory only.
        disk.forceDirectory("");
        writer.name();
        return new Recovered(writer, base, previousSeq(), level);
    }

    private void dropUnfinished(String directory) throws IOException {
        for (Disk.Entry entry : disk.list(directory)) {
            if (entry.name().endsWith(Segment.UNFINISHED)) {
                disk.delete(directory + entry.name());
            }
        }
    }

    /** Returns the segments to replay: the one with the event after the snapshot, and all later ones. */
    private List<Segment> needed(long base) throws IOException {
        List<Segment> all = Segment.list(disk);
        int from = all.size() - 1;
        while (from >= 0 && all.get(from).first() > base + 1) {
            from--;
        }
        if (from < 0 && !all.isEmpty()) {
            throw new CorruptException(
                    all.get(0).name(),
                    0,
                    0,
                    (base == 0 ? "there is no snapshot" : "the snapshot ends at seq " + base)
                            + " and the journal begins with seq " + all.get(0).first());
        }
        return all.subList(Math.max(from, 0), all.size());
    }

    private SegmentWriter begin(long base) throws IOException {
        if (base > 0) {
            listener.warning("the journal holds no segments; it continues from the snapshot at seq " + base);
        }
        return SegmentWriter.create(disk, base + 1, level, now, buffer);
    }

    private SegmentWriter replayAll(List<Segment> segments, long base) throws IOException {
        int last = segments.size() - 1;
        for (int i = 0; i < last; i++) {
            replayWhole(segments.get(i), segments.get(i + 1), base);
        }
        return replayLast(segments.get(last), base);
    }

    private void replayWhole(Segment segment, Segment next, long base) throws IOException {
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            replay(reader, base);
            if (reader.damage() != null) {
                throw reader.damage();
            }
            if (reader.groupOpen() || reader.goodSeq() + 1 != next.first()) {
                throw new CorruptException(
                        segment.name(),
                        0,
                        0,
                        "it ends with seq " + reader.goodSeq() + " and " + next.name() + " follows");
            }
        }
    }

    private SegmentWriter replayLast(Segment segment, long base) throws IOException {
        long end;
        long unsyncedFrom;
        long seq;
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            replay(reader, base);
            end = reader.goodEnd();
            unsyncedFrom = reader.unsyncedFrom();
            seq = reader.goodSeq();
            checkEnd(segment, reader, base);
        }
        if (end < segment.size()) {
            cut(segment, end);
        }
        return SegmentWriter.reopen(disk, segment.first(), end, unsyncedFrom, seq, buffer);
    }

    private void checkEnd(Segment segment, SegmentReader reader, long base) throws IOException {
        CorruptException damage = reader.damage();
        long seq = reader.goodSeq();
        if (damage != null && (seq < base || !reader.torn(reader.lastSeq() + 1))) {
            throw damage;
        }
        if (seq < base) {
            throw new CorruptException(
                    segment.name(), 0, 0, "it ends with seq " + seq + " and the snapshot holds seq " + base);
        }
    }

    /** Replays complete commands, up to the end or the first damage. */
    private void replay(SegmentReader reader, long base) throws IOException {
        if (reader.damage() == null) {
            level = reader.level().includes(level) ? reader.level() : level;
            if (base == 0 && reader.goodSeq() == 0) {
                replay.begins(reader.level());
            }
        }
        List<JournalRecord> group = new ArrayList<>();
        for (JournalRecord event = first(reader); event != null; event = reader.next()) {
            group.add(event);
            if (event.more() == 0) {
                group.forEach(e -> {
                    if (e.seq() > base) {
                        replay.event(e);
                    }
                });
                group.clear();
            }
        }
    }

    private static @Nullable JournalRecord first(SegmentReader reader) throws IOException {
        return reader.damage() == null ? reader.next() : null;
    }

    private void cut(Segment segment, long end) {
        String kept;
        try {
            kept = "a copy is in " + Quarantine.copy(disk, segment.name(), end);
        } catch (IOException e) {
            // No response was ever sent for the changes in these bytes, so a full disk that prevents
            // the copy must not prevent the start.
            kept = "no copy could be kept: " + e.getMessage();
        }
        listener.warning("the last write was cut short by a crash: cutting " + (segment.size() - end) + " bytes off "
                + segment.name() + " at byte " + end + "; " + kept);
    }

    /** Returns the seq of the previous snapshot; 0 if there is no usable one. */
    private long previousSeq() throws IOException {
        try {
            return SnapshotFile.readSeq(disk, SnapshotFile.PREVIOUS);
        } catch (CorruptException unusable) {
            listener.warning("there is no previous snapshot to fall back on: " + unusable.getMessage());
            return 0;
        }
    }
}
