package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Lets a state directory go on from a later state, with the events in between missing: a copy of another ledger that was away for too
 * long. A crash at any point leaves a directory that {@link #finish} brings to the end, or one that nothing has happened to.
 */
final class Rebase {
    private static final String NEXT = "snapshot.next.json";

    private Rebase() {}

    /** Writes the state under a name of its own, from which {@link #finish} goes on. */
    static void begin(Disk disk, Level level, long seq, double now, byte[] state) throws IOException {
        SnapshotFile.write(disk, NEXT, level, seq, now, state);
    }

    /** Begins the segment after the state, and then makes the state the snapshot of the directory; does nothing without such a state. */
    static void finish(Disk disk, double now, ByteBuffer buffer) throws IOException {
        SnapshotFile next = SnapshotFile.read(disk, NEXT);
        if (next == null) {
            return;
        }
        long first = next.seq() + 1;
        if (Segment.list(disk).stream().noneMatch(segment -> segment.first() == first)) {
            SegmentWriter.create(disk, first, next.level(), now, buffer).close();
        }
        disk.forceDirectory(Segment.DIRECTORY);
        disk.rename(NEXT, SnapshotFile.FILE);
        disk.forceDirectory("");
    }
}
