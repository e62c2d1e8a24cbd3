package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment from its head to its end and checks every line: its checksum, its seq, and that commands are complete.
 * The start, verify, repair, dump and the recovery from a failed force all use this class.
 */
final class SegmentReader implements Closeable {
    private final Disk.File file;
    private final Segment segment;
    private final long limit;

    private final ByteBuffer chunk = ByteBuffer.allocate(1 << 16).limit(0);
    private long position;

    private byte[] piece = new byte[1024];
    private int length;
    private long start;
    private int line;
    private boolean terminated;
    private boolean holes;

    private long expected;
    private long durable;
    private int open;
    private long groupStart;
    private long goodEnd;
    private long goodSeq;
    private long lastSeq;
    private long unsyncedFrom;
    private boolean headless;
    private Level level = Level.ONE;
    private @Nullable CorruptException damage;

    private SegmentReader(Disk.File file, Segment segment, long limit) {
        this.file = file;
        this.segment = segment;
        this.limit = limit;
        this.expected = segment.first();
        this.goodSeq = segment.first() - 1;
        this.lastSeq = goodSeq;
    }

    static SegmentReader open(Disk disk, Segment segment) throws IOException {
        return open(disk, segment, Long.MAX_VALUE);
    }

    /**
     * Opens a segment.
     *
     * @param limit bytes at this offset and after it are ignored
     */
    static SegmentReader open(Disk disk, Segment segment, long limit) throws IOException {
        Disk.File file = disk.open(segment.name(), Disk.Access.READ);
        SegmentReader reader = new SegmentReader(file, segment, limit);
        boolean read = false;
        try {
            reader.head();
            read = true;
            return reader;
        } finally {
            if (!read) {
                file.close();
            }
        }
    }

    private void head() throws IOException {
        String wrong = piece() && terminated
                ? Segment.wrongHead(piece, length, segment.first())
                : "the head of the segment is missing";
        headless = wrong != null;
        if (wrong == null) {
            level = Level.of(Segment.level(piece, length));
        } else {
            boolean newer = Line.intact(piece, length) && Segment.level(piece, length) > Level.NEWEST.number();
            damage = newer ? CorruptException.newer(segment.name(), wrong) : damaged(wrong);
        }
        goodEnd = position;
        groupStart = position;
        unsyncedFrom = position;
    }

    /**
     * Returns the next event; null at the end or at a damaged line. After damage, the next call continues with the next
     * line. The next intact line may then have any seq.
     */
    @Nullable
    JournalRecord next() throws IOException {
        damage = null;
        if (!piece()) {
            return null;
        }
        if (!terminated || !Line.intact(piece, length)) {
            damage = damaged(terminated ? "the checksum does not match" : "the line is not complete");
            expected = 0;
            return null;
        }
        return judged();
    }

    private @Nullable JournalRecord judged() throws IOException {
        try {
            JournalRecord read = JournalRecord.parse(piece, Line.PREFIX, length - Line.PREFIX);
            String wrong = wrong(read);
            follow(read);
            if (wrong == null) {
                return read;
            }
            damage = damaged(wrong);
        } catch (IOException e) {
            damage = damaged("the checksum is right, but the line is not an event: " + e.getMessage());
            expected = 0;
        }
        return null;
    }

    private @Nullable String wrong(JournalRecord read) {
        if (expected == 0) {
            return null;
        }
        if (read.seq() != expected) {
            return "seq " + read.seq() + " follows " + (expected - 1);
        }
        if (open > 0 && read.more() != open - 1) {
            return "more is " + read.more() + " in a group that needs " + (open - 1);
        }
        // The first line of a repaired segment may come from the middle of a write.
        boolean first = lastSeq == segment.first() - 1;
        if (read.durable() != read.seq() - 1 && read.durable() != durable && !first) {
            return "durable is " + read.durable() + " where a write can only say " + (read.seq() - 1) + " or "
                    + durable;
        }
        return null;
    }

    private void follow(JournalRecord read) {
        if (read.durable() == read.seq() - 1) {
            unsyncedFrom = start;
        }
        if (open == 0) {
            groupStart = start;
        }
        lastSeq = read.seq();
        expected = lastSeq + 1;
        durable = read.durable();
        open = read.more();
        if (open == 0) {
            goodEnd = position;
            goodSeq = read.seq();
        }
    }

    /**
     * Returns whether everything from the damage to the end may be the remains of writes that were never forced when the
     * power failed. Must be called after {@link #next} found damage. Power loss leaves such bytes missing or zero, never
     * different; and no later line may say that the damaged line was durable.
     */
    boolean torn(long damagedSeq) throws IOException {
        // A segment gets its name only after its head is durable, so a power loss cannot damage the head.
        if (headless || (terminated && Line.intact(piece, length))) {
            return false;
        }
        do {
            int intactFrom = terminated ? lastLine() : -1;
            if ((intactFrom != 0 && !tearable()) || (intactFrom >= 0 && saysDurable(intactFrom, damagedSeq))) {
                return false;
            }
        } while (piece());
        return true;
    }

    /**
     * Returns the start of the intact line with which this piece ends, or -1 if there is none. The line may begin after the
     * start of the piece, because the newline before it may have been replaced by zeros.
     */
    private int lastLine() {
        for (int from = 0; from + Line.PREFIX < length; from++) {
            if (Line.intact(piece, from, length)) {
                return from;
            }
        }
        return -1;
    }

    private boolean saysDurable(int line, long seq) {
        try {
            int json = line + Line.PREFIX;
            return JournalRecord.parse(piece, json, length - json).durable() >= seq;
        } catch (IOException nonsense) {
            return true;
        }
    }

    private boolean tearable() {
        // An intact line followed by a byte other than a newline was not cut short: something changed that byte.
        return holes || (!terminated && !Line.intact(piece, length - 1));
    }

    /** Reads the bytes up to the next newline or the end, as the current piece. */
    private boolean piece() throws IOException {
        start = position;
        length = 0;
        terminated = false;
        holes = false;
        while (!terminated && fill()) {
            take();
        }
        if (position == start) {
            return false;
        }
        line++;
        return true;
    }

    private boolean fill() throws IOException {
        if (!chunk.hasRemaining()) {
            chunk.clear().limit((int) Math.max(0, Math.min(chunk.capacity(), limit - position)));
            file.read(chunk, position);
            chunk.flip();
        }
        return chunk.hasRemaining();
    }

    private void take() {
        byte[] bytes = chunk.array();
        int from = chunk.position();
        int to = from;
        while (to < chunk.limit() && bytes[to] != '\n') {
            holes |= bytes[to] == 0;
            to++;
        }
        keep(bytes, from, to - from);
        terminated = to < chunk.limit();
        int taken = to - from + (terminated ? 1 : 0);
        chunk.position(from + taken);
        position += taken;
    }

    /** Appends bytes to the piece. Bytes beyond the longest possible line are dropped; the checksum of such a piece does not match. */
    private void keep(byte[] bytes, int from, int count) {
        int kept = Math.min(count, Line.LIMIT + 1 - length);
        if (length + kept > piece.length) {
            piece = Arrays.copyOf(piece, Math.max(2 * piece.length, length + kept));
        }
        System.arraycopy(bytes, from, piece, length, kept);
        length += kept;
    }

    private CorruptException damaged(String sentence) {
        return new CorruptException(segment.name(), line, start, sentence);
    }

    /** Returns the damage that the last {@link #next} or the opening found; null if it found none. */
    @Nullable
    CorruptException damage() {
        return damage;
    }

    /** The level that the head names; the first level if the head is damaged. */
    Level level() {
        return level;
    }

    /** Returns the seq of the last event of the last complete command; one less than the segment's first seq if there is none. */
    long goodSeq() {
        return goodSeq;
    }

    /** Returns the seq of the last intact event, even if its command is not complete. */
    long lastSeq() {
        return lastSeq;
    }

    /** Returns the offset at which the last complete command ends. */
    long goodEnd() {
        return goodEnd;
    }

    /** Returns whether the last line says that more events of its command follow. */
    boolean groupOpen() {
        return open > 0;
    }

    long groupStart() {
        return groupStart;
    }

    /** Returns the offset at which the last write begins. No line says that this write was durable. */
    long unsyncedFrom() {
        return Math.min(unsyncedFrom, goodEnd);
    }

    /** Returns whether the file ended before a newline in the last read. */
    boolean unfinished() {
        return !terminated;
    }

    int line() {
        return line;
    }

    long position() {
        return position;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
