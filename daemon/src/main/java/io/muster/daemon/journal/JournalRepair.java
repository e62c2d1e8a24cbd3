package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LockedException;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Repairs a damaged state directory so that a daemon can start from it: keeps the longest unbroken run of changes that begins at the
 * snapshot, and moves everything else to quarantine, byte for byte.
 */
public final class JournalRepair {
    private final Disk disk;
    private final InstantSource clock;
    private final boolean dryRun;
    private final LongConsumer progress;
    private final List<String> actions = new ArrayList<>();
    private long lost;
    /** The highest level that a file names. */
    private Level level = Level.ONE;

    private long expected;

    /**
     * The result of a repair, or of a dry run.
     *
     * @param actions sentences about what was done, or would be done; empty if nothing was necessary
     * @param lost number of intact events that can no longer be applied because they come after damage
     * @param lastSeq the journal's last event after the repair
     */
    public record RepairResult(List<String> actions, long lost, long lastSeq) {}

    private JournalRepair(Disk disk, InstantSource clock, boolean dryRun, LongConsumer progress) {
        this.disk = disk;
        this.clock = clock;
        this.dryRun = dryRun;
        this.progress = progress;
    }

    /**
     * Repairs everything that can be repaired.
     *
     * @param dryRun whether only to report what would be done
     * @param progress receives, after each segment, the total bytes of the segments that are done or need no work
     * @throws LockedException if a daemon is running
     * @throws CorruptException if no snapshot fits the journal, so that only a backup helps
     */
    public static RepairResult repair(Disk disk, InstantSource clock, boolean dryRun, LongConsumer progress)
            throws IOException {
        try (Closeable lock = disk.lock(Journal.LOCK, clock.instant())) {
            Objects.requireNonNull(lock);
            return new JournalRepair(disk, clock, dryRun, progress).run();
        }
    }

    private RepairResult run() throws IOException {
        JournalCopy.refuseUnfinished(disk);
        long base = snapshot();
        expected = base + 1;
        List<Segment> segments = needed(base);
        refuseNewer(segments);
        boolean follows = segments.isEmpty() || segments.get(0).first() <= expected;
        long end = base;
        long bytes = size(Segment.list(disk)) - size(segments);
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (follows && (i == 0 || segment.first() == expected)) {
                Kept kept = mend(segment, base);
                end = kept.lastSeq;
                expected = Math.max(base, end) + 1;
                follows = !kept.cut;
            } else {
                follows = false;
                setAside(segment);
            }
            bytes += segment.size();
            progress.accept(bytes);
        }
        if (end < base) {
            act("begin a new segment: the last one ends with seq " + end + " and the snapshot holds " + base);
            begin(base + 1);
        }
        dropKept(Math.max(base, expected - 1));
        settle();
        return new RepairResult(List.copyOf(actions), lost, expected - 1);
    }

    /** Refuses a journal in a level that this version does not know, because its lines may have another meaning. */
    private void refuseNewer(List<Segment> segments) throws IOException {
        for (Segment segment : segments) {
            try (SegmentReader reader = SegmentReader.open(disk, segment)) {
                CorruptException damage = reader.damage();
                if (damage != null && damage.isNewer()) {
                    throw damage;
                }
                level = reader.level().includes(level) ? reader.level() : level;
            }
        }
    }

    private static long size(List<Segment> segments) {
        long bytes = 0;
        for (Segment segment : segments) {
            bytes += segment.size();
        }
        return bytes;
    }

    /**
     * Moves snapshots that contain lost events to quarantine, because later events will have the same numbers as the lost
     * ones.
     */
    private void dropKept(long last) throws IOException {
        for (SnapshotFile.Head head : SnapshotFile.listKept(disk)) {
            if (head.seq() > last) {
                act("move " + head.name() + " to quarantine: it contains events after seq " + last);
                if (!dryRun) {
                    Quarantine.move(disk, head.name());
                }
            }
        }
    }

    private void settle() throws IOException {
        if (!dryRun) {
            disk.makeDirectory(Segment.DIRECTORY);
            disk.forceDirectory(Segment.DIRECTORY);
            disk.forceDirectory("");
        }
    }

    /** Returns the seq of the snapshot to continue from, after going back to the previous snapshot if necessary. */
    private long snapshot() throws IOException {
        try {
            SnapshotFile snapshot = SnapshotFile.read(disk, SnapshotFile.FILE);
            if (snapshot != null) {
                level = snapshot.level();
                return snapshot.seq();
            }
        } catch (CorruptException damaged) {
            if (damaged.isNewer()) {
                throw damaged;
            }
            return fallBack(damaged);
        }
        return SnapshotFile.isMissed(disk) ? fallBack(null) : 0;
    }

    /**
     * Goes back to the previous snapshot, or to the beginning of the journal.
     *
     * @param damaged why the current snapshot is unusable; null if the file is missing
     */
    private long fallBack(@Nullable CorruptException damaged) throws IOException {
        String fault = damaged == null ? "it is missing" : damaged.sentence();
        SnapshotFile previous = SnapshotFile.read(disk, SnapshotFile.PREVIOUS);
        long base = previous == null ? 0 : previous.seq();
        List<Segment> all = Segment.list(disk);
        if (all.isEmpty() || all.get(0).first() > base + 1) {
            throw new CorruptException(
                    SnapshotFile.FILE,
                    0,
                    0,
                    fault + ", and the journal does not go back to "
                            + (previous == null ? "the beginning" : "the previous snapshot") + ": restore a backup");
        }
        if (damaged != null) {
            act("move " + SnapshotFile.FILE + " to quarantine (" + fault + ")");
        }
        act(previous == null ? "replay the journal from its beginning" : "go back to the snapshot at seq " + base);
        if (!dryRun) {
            if (damaged != null) {
                Quarantine.move(disk, SnapshotFile.FILE);
            }
            if (previous != null) {
                disk.rename(SnapshotFile.PREVIOUS, SnapshotFile.FILE);
            }
        }
        return base;
    }

    private List<Segment> needed(long base) throws IOException {
        List<Segment> all = Segment.list(disk);
        int from = all.size() - 1;
        while (from > 0 && all.get(from).first() > base + 1) {
            from--;
        }
        return from < 0 ? all : all.subList(from, all.size());
    }

    /** Moves a segment that does not follow the kept events to quarantine. */
    private void setAside(Segment segment) throws IOException {
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            lost += count(reader);
        }
        act("move " + segment.name() + " to quarantine: it does not follow seq " + (expected - 1));
        if (!dryRun) {
            Quarantine.move(disk, segment.name());
        }
    }

    private Kept mend(Segment segment, long base) throws IOException {
        Kept kept = kept(segment, base, 0, null);
        if (!kept.sound) {
            lost += kept.lost;
            act("write " + segment.name() + " again with its intact events, up to seq " + kept.lastSeq
                    + (kept.from > segment.first() ? " and from seq " + kept.from : "")
                    + ", and keep the damaged file in quarantine; " + loss(kept));
            if (!dryRun) {
                rewrite(segment, base, kept.from);
            }
        }
        return kept;
    }

    private static String loss(Kept kept) {
        String intact = kept.lost == 0 ? "" : kept.lost + (kept.lost == 1 ? " intact event" : " intact events");
        if (kept.cut) {
            return "the damaged events are lost" + (intact.isEmpty() ? "" : ", and " + intact + " after it");
        }
        return intact.isEmpty() ? "nothing is lost" : intact + " of an incomplete change are lost";
    }

    private void begin(long first) throws IOException {
        if (!dryRun) {
            SegmentWriter.create(disk, first, level, now(), SegmentWriter.buffer())
                    .close();
        }
    }

    private void rewrite(Segment segment, long base, long from) throws IOException {
        String beside = Segment.name(from) + Segment.UNFINISHED;
        try (Disk.File target = disk.open(beside, Disk.Access.CREATE)) {
            Copy copy = new Copy(target);
            copy.put(Segment.head(from, level, now()));
            kept(segment, base, from, copy);
            target.force(true);
        }
        Quarantine.copy(disk, segment.name(), 0);
        disk.rename(beside, Segment.name(from));
        if (from != segment.first()) {
            disk.delete(segment.name());
        }
    }

    /**
     * The usable part of a segment: complete commands from one seq to another.
     *
     * @param sound whether the segment has neither damage nor an incomplete command
     * @param cut whether damage ends this part, so that nothing can follow it
     * @param lost number of events after this part
     */
    private record Kept(long from, long lastSeq, boolean sound, boolean cut, long lost) {}

    /**
     * Finds the usable part of a segment, and copies it if {@code copy} is given. Damage before the snapshot's seq is
     * skipped, because the snapshot contains those changes.
     */
    private Kept kept(Segment segment, long base, long copyFrom, @Nullable Copy copy) throws IOException {
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            boolean sound = reader.damage() == null;
            long from = segment.first();
            long lastSeq = from - 1;
            List<JournalRecord> group = new ArrayList<>();
            JournalRecord event = reader.next();
            while (event != null || reader.damage() != null) {
                boolean gap = event == null || (!sound && event.seq() > lastSeq + group.size() + 1);
                sound &= !gap;
                if (gap && lastSeq >= base) {
                    return new Kept(from, lastSeq, false, true, (event == null ? 0 : 1) + count(reader));
                }
                if (gap) {
                    from = base + 1;
                    lastSeq = base;
                    group.clear();
                }
                if (event != null && !gap && event.seq() > lastSeq) {
                    group.add(event);
                    if (event.more() == 0) {
                        lastSeq = event.seq();
                        write(group, copyFrom, copy);
                        group.clear();
                    }
                }
                event = gap && event != null ? event : reader.next();
            }
            return new Kept(from, lastSeq, sound && group.isEmpty(), false, group.size());
        }
    }

    /** The file that receives the kept lines, one after the other. */
    private static final class Copy {
        private final Disk.File target;
        private long at;

        Copy(Disk.File target) {
            this.target = target;
        }

        void put(ByteBuffer bytes) throws IOException {
            int size = bytes.remaining();
            target.write(bytes, at);
            at += size;
        }
    }

    private static void write(List<JournalRecord> group, long from, @Nullable Copy copy) throws IOException {
        for (JournalRecord event : group) {
            if (copy != null && event.seq() >= from) {
                ByteBuffer line = ByteBuffer.allocate(4 * event.json().length() + Line.PREFIX + 1);
                Line.encode(line, event.json());
                copy.put(line.flip());
            }
        }
    }

    private static long count(SegmentReader reader) throws IOException {
        long events = 0;
        boolean hasMore = true;
        while (hasMore) {
            boolean event = reader.next() != null;
            events += event ? 1 : 0;
            hasMore = event || reader.damage() != null;
        }
        return events;
    }

    private double now() {
        return clock.millis() / 1e3;
    }

    private void act(String sentence) {
        actions.add(sentence);
    }
}
