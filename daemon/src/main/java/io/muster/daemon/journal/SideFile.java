package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file beside a segment that is no longer written, with what was computed from the segment. It saves time and changes no answer: if it
 * is missing, damaged or belongs to another segment, it is not used, and can be made again.
 *
 * <p>The file consists of big-endian integers and of its contents:
 * <pre>
 * CRC32C of all that follows, magic number of the kind,
 * first seq of the segment (8 bytes), its size (8), time of its last change in ms (8), CRC32C of its last 256 bytes,
 * the contents
 * </pre>
 *
 * @param suffix what the name of the file has after the name of the segment
 * @param magic changes with the form or the meaning of the contents
 */
record SideFile(String suffix, int magic) {
    private static final int HEAD = Integer.BYTES * 3 + Long.BYTES * 3;
    private static final int TAIL = 256;
    /** A file of this length is written beside any segment: the one event of a short segment may concern all hosts. */
    private static final long SHORT = 16 << 20;

    private String name(Segment segment) {
        return segment.name() + suffix;
    }

    /** Returns the contents; null if there are none that belong to the segment as it is, or if they cannot be read. */
    @Nullable
    ByteBuffer read(Disk disk, Segment segment) {
        try (Disk.File file = disk.open(name(segment), Disk.Access.READ)) {
            if (file.size() < HEAD || file.size() > HEAD + longest(segment)) {
                return null;
            }
            ByteBuffer in = ByteBuffer.allocate((int) file.size());
            file.read(in, 0);
            in.flip();
            boolean sound = in.limit() == in.capacity() && in.getInt() == crc(in) && in.getInt() == magic;
            return sound && in.slice(in.position(), HEAD - in.position()).equals(identity(disk, segment))
                    ? in.position(HEAD).slice()
                    : null;
        } catch (IOException unreadable) {
            return null;
        }
    }

    private static long longest(Segment segment) {
        return Math.max(SHORT, segment.size());
    }

    /** Writes the file, unless it would be longer than the segment and {@link #SHORT}. It is not forced: what a power loss leaves fails its checksum. */
    void write(Disk disk, Segment segment, ByteBuffer contents) throws IOException {
        if (contents.remaining() > longest(segment)) {
            return;
        }
        ByteBuffer out = ByteBuffer.allocate(HEAD + contents.remaining());
        out.putInt(0).putInt(magic).put(identity(disk, segment)).put(contents).flip();
        out.putInt(0, crc(out.duplicate().position(Integer.BYTES)));
        boolean written = false;
        try (Disk.File file = disk.open(name(segment), Disk.Access.CREATE)) {
            file.write(out, 0);
            written = true;
        } finally {
            if (!written) {
                disk.delete(name(segment));
            }
        }
    }

    private static ByteBuffer identity(Disk disk, Segment segment) throws IOException {
        ByteBuffer tail = ByteBuffer.allocate((int) Math.min(TAIL, segment.size()));
        try (Disk.File file = disk.open(segment.name(), Disk.Access.READ)) {
            file.read(tail, segment.size() - tail.capacity());
        }
        ByteBuffer identity = ByteBuffer.allocate(Long.BYTES * 3 + Integer.BYTES);
        identity.putLong(segment.first()).putLong(segment.size());
        return identity.putLong(segment.modified().toEpochMilli())
                .putInt(crc(tail.flip()))
                .flip();
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /** Deletes the files of this kind whose segments no longer exist. */
    void deleteOthers(Disk disk, List<Segment> segments) throws IOException {
        Set<String> names = new HashSet<>();
        segments.forEach(segment -> names.add(name(segment)));
        for (Disk.Entry entry : disk.list(Segment.DIRECTORY)) {
            String name = Segment.DIRECTORY + "/" + entry.name();
            if (name.endsWith(suffix) && !names.contains(name)) {
                disk.delete(name);
            }
        }
    }
}
