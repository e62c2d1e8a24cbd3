package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Appends lines to one segment. The file has bytes after {@code durableOffset} only between a write and its force, or after
 * a failed write that could not be taken back.
 */
final class SegmentWriter implements Closeable {
    private static final int BUFFER = 256 << 10;
    /**
     * The size of the blocks that are rewritten after a failed force, at least as large as any block of a file system or
     * page in use.
     */
    private static final long BLOCK = 64 << 10;

    private final Disk disk;
    private final long first;
    private final Disk.File file;
    private final ByteBuffer buffer;

    private long durableSeq;
    private long durableOffset;
    private long lastSeq;
    private long written;
    private boolean named;
    private boolean leftover;
    private boolean unforced;

    private SegmentWriter(Disk disk, long first, long end, long lastSeq, ByteBuffer buffer) throws IOException {
        this.disk = disk;
        this.first = first;
        this.file = disk.open(Segment.name(first), Disk.Access.WRITE);
        this.buffer = buffer;
        this.durableSeq = lastSeq;
        this.lastSeq = lastSeq;
        this.durableOffset = end;
        this.written = end;
    }

    static ByteBuffer buffer() {
        return ByteBuffer.allocateDirect(BUFFER);
    }

    /** Creates a segment. The head is written under a temporary name first, so that a segment always has its head. */
    static SegmentWriter create(Disk disk, long first, Level level, double now, ByteBuffer buffer) throws IOException {
        return begin(disk, first, prepare(disk, first, level, now), buffer);
    }

    /**
     * Writes the head of a segment under a temporary name.
     *
     * @return the offset at which the head ends
     */
    static int prepare(Disk disk, long first, Level level, double now) throws IOException {
        ByteBuffer head = Segment.head(first, level, now);
        int end = head.remaining();
        try (Disk.File file = disk.open(Segment.name(first) + Segment.UNFINISHED, Disk.Access.CREATE)) {
            file.write(head, 0);
            file.force(true);
        }
        return end;
    }

    /**
     * Renames a prepared segment to its final name and opens it. The segment may have its final name even if this method
     * fails.
     */
    static SegmentWriter begin(Disk disk, long first, int end, ByteBuffer buffer) throws IOException {
        disk.rename(Segment.name(first) + Segment.UNFINISHED, Segment.name(first));
        return new SegmentWriter(disk, first, end, first - 1, buffer);
    }

    /**
     * Opens an existing segment for appending.
     *
     * @param end the offset at which the last kept line ends; bytes after it are cut off
     * @param unsyncedFrom the bytes from this offset to the end may exist only in the page cache, so they are written again and forced,
     *     with the block before: the last process may have ended after a failed force
     */
    static SegmentWriter reopen(Disk disk, long first, long end, long unsyncedFrom, long lastSeq, ByteBuffer buffer)
            throws IOException {
        SegmentWriter writer = new SegmentWriter(disk, first, end, lastSeq, buffer);
        boolean sound = false;
        try {
            if (writer.file.size() > end) {
                writer.file.truncate(end);
            }
            writer.rewrite(unsyncedFrom);
            sound = true;
            return writer;
        } finally {
            if (!sound) {
                writer.close();
            }
        }
    }

    void append(List<byte[]> events) throws IOException {
        int more = events.size();
        for (byte[] event : events) {
            more--;
            append(lastSeq + 1, more, event);
            lastSeq++;
        }
    }

    private void append(long seq, int more, byte[] event) throws IOException {
        int room = Line.room(event);
        if (buffer.remaining() < room) {
            write();
        }
        if (buffer.remaining() >= room) {
            Line.encode(buffer, seq, durableSeq, more, event);
        } else {
            put(Line.begin(seq, durableSeq, more, event));
            put(ByteBuffer.wrap(event, 1, event.length - 1));
            put(ByteBuffer.wrap(new byte[] {'\n'}));
        }
    }

    void write() throws IOException {
        put(buffer.flip());
        buffer.clear();
    }

    private void put(ByteBuffer out) throws IOException {
        int size = out.remaining();
        if (size > 0) {
            leftover = true;
            file.write(out, written);
            written += size;
        }
    }

    void force() throws IOException {
        name();
        unforced = true;
        file.force(false);
        unforced = false;
        leftover = false;
        durableOffset = written;
        durableSeq = lastSeq;
    }

    /**
     * Makes the segment's name durable. This must happen before any response depends on the segment, because a power loss
     * could remove the name.
     */
    void name() throws IOException {
        if (!named) {
            disk.forceDirectory(Segment.DIRECTORY);
            named = true;
        }
    }

    /** Returns whether bytes of a failed write may be in the file. */
    boolean leftover() {
        return leftover || unforced;
    }

    /**
     * Takes back everything that was written since the last force. After a failed force, the kernel may treat pages as
     * written although they are not. Therefore the last block is written again and forced, and the whole segment is read and
     * checked.
     */
    void rollback() throws IOException {
        buffer.clear();
        lastSeq = durableSeq;
        written = durableOffset;
        if (!leftover()) {
            return;
        }
        file.truncate(durableOffset);
        if (unforced) {
            rewrite(durableOffset);
            verify();
        } else {
            unforced = true;
            file.force(true);
        }
        unforced = false;
        leftover = false;
    }

    /** Writes everything after {@code from} again, and the block that ends there: a failed force may have been its last write. */
    private void rewrite(long from) throws IOException {
        for (long at = Math.max(0, from - 1) / BLOCK * BLOCK; at < durableOffset; at += BLOCK) {
            ByteBuffer block = ByteBuffer.allocate((int) Math.min(BLOCK, durableOffset - at));
            file.read(block, at);
            file.write(block.flip(), at);
        }
        file.force(true);
    }

    private void verify() throws IOException {
        Segment segment = new Segment(first, durableOffset, java.time.Instant.EPOCH);
        try (SegmentReader reader = SegmentReader.open(disk, segment, durableOffset)) {
            while (reader.damage() == null && reader.next() != null) {
                // The reader finds the damage.
            }
            CorruptException damage = reader.damage();
            if (damage != null) {
                throw damage;
            }
            if (reader.goodSeq() != durableSeq) {
                throw new CorruptException(
                        segment.name(), 0, 0, "ends with seq " + reader.goodSeq() + ", not " + durableSeq);
            }
        }
    }

    /**
     * Checks that the segment still has its name.
     *
     * @throws IOException if the segment was removed, or replaced by another file
     */
    void checkLinked() throws IOException {
        if (!file.linked()) {
            throw new IOException(Segment.name(first) + " is no longer in " + disk.where()
                    + ": it was removed or replaced while the daemon ran");
        }
    }

    long first() {
        return first;
    }

    long lastSeq() {
        return lastSeq;
    }

    long durableSeq() {
        return durableSeq;
    }

    long durableOffset() {
        return durableOffset;
    }

    long written() {
        return written + buffer.position();
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
