package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes a state directory continue from a later state, without the events in between. This is needed if a copy of another
 * ledger was not updated for too long. After a crash at any point, the directory is either unchanged, or {@link #finish}
 * completes the operation.
 */
final class Rebase {
    private static final String NEXT = "snapshot.next.json";

    private Rebase() {}

    /** Writes the state under a separate name, from which {@link #finish} reads it. */
    static void begin(Disk disk, Level level, long seq, double now, byte[] state) throws IOException {
        SnapshotFile.write(disk, NEXT, level, seq, now, state);
    }

    /**
     * Begins the segment after the state, and then makes the state the snapshot of the directory; does nothing without such a state. The
     * caller forces the names in the directory before anything is written.
     */
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
    }
}
