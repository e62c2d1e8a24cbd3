package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds in one segment the events that may concern some hosts. Every line's checksum and seq are checked, but only lines that may concern
 * one of the hosts are parsed, because parsing takes most of the time.
 */
final class SegmentScan implements Closeable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080808080808080L;
    private static final long NEWLINES = '\n' * ONES;
    private static final int CHUNK = 1 << 18;
    /** Bytes that are read at a time where an index says which lines to read. */
    private static final int PIECE = 1 << 13;

    private final Disk.File file;
    private final Segment segment;
    private final HostLines hosts;
    private byte[] bytes = new byte[CHUNK];
    private int from;
    private int to;
    /** The offset in the file at which {@link #to} is. */
    private long position;

    /** The seq of the next line; 0 if damage reaches to the end. */
    private long expected;

    private @Nullable JournalRecord parsed;
    private String unreadable = "";
    private @Nullable CorruptException damage;

    /** The index that selects the lines to read; null to read every line. */
    private @Nullable SegmentIndex index;
    /** The seq of the first line that was passed over after the last one that was read. */
    private long passedSeq;
    /** The offset in the file of that line. */
    private long passedFrom;

    private final SegmentIndex.@Nullable Lines seen;

    SegmentScan(Disk disk, Segment segment, HostLines hosts) throws IOException {
        this(disk, segment, hosts, null);
    }

    /** @param seen receives each line with an event, because every line is read; null to pass over lines with the segment's index */
    SegmentScan(Disk disk, Segment segment, HostLines hosts, SegmentIndex.@Nullable Lines seen) throws IOException {
        this.segment = segment;
        this.hosts = hosts;
        this.seen = seen;
        this.expected = segment.first();
        this.file = disk.open(segment.name(), Disk.Access.READ);
        boolean read = false;
        try {
            head();
            if (seen == null && damage == null && hosts.isSelective()) {
                index = SegmentIndex.read(disk, segment, at(), hosts);
            }
            read = true;
        } finally {
            if (!read) {
                file.close();
            }
        }
    }

    private void head() throws IOException {
        int end = newline();
        byte[] head = Arrays.copyOfRange(bytes, from, Math.max(from, end));
        String wrong =
                end < 0 ? "the head of the segment is missing" : Segment.wrongHead(head, head.length, segment.first());
        from = end < 0 ? to : end + 1;
        if (wrong != null) {
            damage(from, wrong);
        }
    }

    /**
     * The next event that may concern one of the hosts; null at the end and at damage. After damage this may be called again.
     *
     * @param firstSeq events before this one are passed over
     * @param lastSeq reading ends after this one
     */
    @Nullable
    JournalRecord next(long firstSeq, long lastSeq) throws IOException {
        damage = null;
        while (expected > 0 && expected <= lastSeq) {
            pass(firstSeq, lastSeq);
            if (expected > lastSeq) {
                return null;
            }
            int end = newline();
            int start = from;
            boolean intact = end >= 0 && Line.intact(bytes, start, end);
            long seq = intact ? seq(start, end) : 0;
            if (seq != expected && index != null) {
                index = null; // the segment has changed since, or the index is wrong
                expected = passedSeq;
                move(passedFrom);
                continue;
            }
            if (seq != expected) {
                if (end >= 0) {
                    String other = seq == 0 ? unreadable : "seq " + seq + " follows " + (expected - 1);
                    damage(start, intact ? other : "the checksum does not match");
                }
                return null;
            }
            if (seen != null) {
                seen.add(bytes, start, end);
            }
            from = end + 1;
            expected++;
            JournalRecord event = parsed;
            if (event != null && seq >= firstSeq) {
                return event;
            }
        }
        return null;
    }

    /** Moves over the lines that need not be read, as far as there is an index. */
    private void pass(long firstSeq, long lastSeq) {
        SegmentIndex known = index;
        if (known == null) {
            return;
        }
        passedSeq = expected;
        passedFrom = at();
        long offset = passedFrom;
        int line = (int) (expected - segment.first());
        while (line < known.lines() && expected <= lastSeq && (expected < firstSeq || !known.isWanted(line))) {
            offset += known.length(line++);
            expected++;
        }
        move(offset);
        if (line == known.lines()) {
            index = null; // the index has no entries for the lines that follow
        }
    }

    boolean isIndexed() {
        return index != null;
    }

    /** The offset in the file of the next line. */
    private long at() {
        return position - to + from;
    }

    private void move(long offset) {
        long ahead = offset - at();
        if (ahead >= 0 && ahead <= to - from) {
            from += (int) ahead;
        } else {
            from = 0;
            to = 0;
            position = offset;
        }
    }

    /**
     * The seq of an intact line, which is parsed only if it may concern one of the hosts; 0 if the line is no event, for the reason in
     * {@link #unreadable}.
     */
    private long seq(int start, int end) {
        int json = start + Line.PREFIX;
        long seq = index == null ? hosts.read(bytes, json, end) : 0; // the index selected this line
        parsed = null;
        if (seq > 0) {
            return seq;
        }
        try {
            JournalRecord event = JournalRecord.parse(bytes, json, end - json);
            parsed = event;
            return event.seq();
        } catch (IOException wrong) {
            unreadable = "the checksum is right, but the line is not an event: " + wrong.getMessage();
            return 0;
        }
    }

    /** Notes damage and goes to the next intact line with an event. */
    private void damage(int start, String sentence) throws IOException {
        damage = new CorruptException(segment.name(), 0, position - to + start, sentence);
        expected = 0;
        for (int end = newline(); end >= 0 && expected == 0; end = newline()) {
            expected = Line.intact(bytes, from, end) ? seq(from, end) : 0;
            from = expected > 0 ? from : end + 1;
        }
    }

    /** The damage that the opening or the last {@link #next} found; null if there was none. */
    @Nullable
    CorruptException damage() {
        return damage;
    }

    /** The seq of the next line, also if there is no such line yet; 0 if damage reaches to the end. */
    long expected() {
        return expected;
    }

    /** The index of the next newline, or -1 at the end of the file; the bytes before it are in {@link #bytes}. */
    private int newline() throws IOException {
        int searched = from;
        while (true) {
            int found = newline(searched);
            if (found >= 0) {
                return found;
            }
            searched = to - from;
            if (!fill()) {
                return -1;
            }
            searched += from;
        }
    }

    private int newline(int start) {
        int i = start;
        for (; i + Long.BYTES <= to; i += Long.BYTES) {
            long word = (long) LONGS.get(bytes, i) ^ NEWLINES;
            long zeros = (word - ONES) & ~word & HIGH_BITS;
            if (zeros != 0) {
                return i + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (i < to && bytes[i] != '\n') {
            i++;
        }
        return i < to ? i : -1;
    }

    /** Moves the unfinished line to the front and reads on after it. */
    private boolean fill() throws IOException {
        int rest = to - from;
        if (rest > Line.LIMIT) {
            return false; // no line is this long, so this is damage without a newline
        }
        byte[] target = rest > bytes.length / 2 ? new byte[2 * bytes.length] : bytes;
        System.arraycopy(bytes, from, target, 0, rest);
        bytes = target;
        from = 0;
        int room = bytes.length - rest;
        ByteBuffer free = ByteBuffer.wrap(bytes, rest, index == null ? room : Math.min(room, PIECE));
        file.read(free, position);
        position += free.position() - rest;
        to = free.position();
        return to > rest;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
