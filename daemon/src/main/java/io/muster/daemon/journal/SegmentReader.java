package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one segment from its head to its end and checks every line: its checksum, its seq, and that commands are complete.
 * Everything that reads segments uses this class.
 */
final class SegmentReader implements Closeable {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101_0101_0101_0101L;
    private static final long HIGH_BITS = 0x8080_8080_8080_8080L;
    private static final long NEWLINES = '\n' * ONES;

    /** The number of bytes that are read at a time at most. */
    private static final int CHUNK = 1 << 18;
    /** The number of bytes that are read first, and after a {@link #seek}; each further read doubles it. */
    private static final int PIECE = 1 << 13;

    private final Disk.File file;
    private final Segment segment;
    private final long limit;

    private byte[] bytes = new byte[CHUNK];
    /** The end of the bytes that were read from the file. */
    private int end;
    /** The offset in the file of {@link #end}. */
    private long read;
    /** The number of bytes that the next read has at most. */
    private int most = PIECE;

    /** The current piece: the bytes of a line, without its newline. */
    private int from;

    private int to;
    private boolean terminated;
    /** Where the next piece begins. */
    private int next;

    private long start;
    private int line;

    private final PlainLine plain = new PlainLine();
    private @Nullable Filter filter;
    private long until = Long.MAX_VALUE;

    /** The seq that the next line must have; 0 after damage, and then it may have any. */
    private long expected;
    /** Whether the line before the next one was not read, so that the next line may come from the middle of a write. */
    private boolean fresh = true;

    private long durable;
    private int open;
    private long groupStart;
    private long goodEnd;
    private long goodSeq;
    private long lastSeq;
    private long unsyncedFrom;
    private boolean headless;
    private Level level = Level.ONE;
    private Instant begun = Instant.EPOCH;
    private @Nullable CorruptException damage;
    /** The event of the line that was damage only because of its place. */
    private @Nullable JournalRecord misplaced;

    /** Decides which lines are parsed. */
    interface Filter {
        /** @param line an intact line in the form that the daemon writes */
        boolean wants(PlainLine line);
    }

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
        boolean opened = false;
        try {
            reader.head();
            opened = true;
            return reader;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    private void head() throws IOException {
        boolean whole = piece() && terminated;
        byte[] head = Arrays.copyOfRange(bytes, from, to);
        String wrong =
                whole ? Segment.wrongHead(head, head.length, segment.first()) : "the head of the segment is missing";
        headless = wrong != null;
        if (wrong == null) {
            level = Level.of(Segment.level(head, head.length));
            begun = Segment.begun(head, head.length);
        } else {
            boolean newer = Line.intact(head, head.length) && Segment.level(head, head.length) > Level.NEWEST.number();
            damage = newer ? CorruptException.newer(segment.name(), wrong) : damaged(wrong);
        }
        goodEnd = position();
        groupStart = position();
        unsyncedFrom = position();
    }

    /**
     * Limits what {@link #next} returns.
     *
     * @param wanted decides for each line in the form that the daemon writes whether it is parsed and returned. The checksum and the journal's
     *     keys of the other lines are checked too. The first line after damage is returned in any case. If null, every line is returned.
     * @param lastSeq reading ends after the line with this seq
     */
    void select(@Nullable Filter wanted, long lastSeq) {
        filter = wanted;
        until = lastSeq;
    }

    /**
     * Continues with another line, without reading the lines before it.
     *
     * @param offset where the line begins
     * @param seq the seq that the line must have; 0 if it may be any, or if the offset may be in the middle of a line
     */
    void seek(long offset, long seq) {
        long ahead = offset - position();
        if (ahead >= 0 && ahead <= end - next) {
            next += (int) ahead;
        } else {
            next = 0;
            end = 0;
            read = offset;
            most = PIECE;
        }
        line = (int) (seq - segment.first()) + 1;
        expected = seq;
        fresh = true;
        open = 0;
        misplaced = null;
    }

    /**
     * Returns the next event; null at the end or at a damaged line. After damage, the next call continues with the next
     * line, or with the damaged one if only its place is wrong. The next intact line may then have any seq.
     */
    @Nullable
    JournalRecord next() throws IOException {
        damage = null;
        JournalRecord event = misplaced;
        misplaced = null;
        while (event == null && damage == null && expected <= until && piece()) {
            event = checked();
        }
        return event;
    }

    /** The event of this line; null if it is damaged, or not wanted. */
    private @Nullable JournalRecord checked() throws IOException {
        if (!terminated || !Line.intact(bytes, from, to)) {
            damage = damaged(terminated ? "the checksum does not match" : "the line is not complete");
            expected = 0;
            return null;
        }
        if (!isWanted()) {
            follow(plain.seq(), plain.durable(), plain.more());
            return null;
        }
        try {
            JournalRecord event = JournalRecord.parse(bytes, from + Line.PREFIX, to - from - Line.PREFIX);
            follow(event.seq(), event.durable(), event.more());
            if (damage == null) {
                return event;
            }
            misplaced = event;
        } catch (IOException e) {
            damage = damaged("the checksum is right, but the line is not an event: " + e.getMessage());
            expected = 0;
        }
        return null;
    }

    private boolean isWanted() {
        return filter == null
                || headless
                || expected == 0
                || !plain.read(bytes, from + Line.PREFIX, to)
                || wrong(plain.seq(), plain.durable(), plain.more()) != null
                || filter.wants(plain);
    }

    private void follow(long seq, long before, int more) {
        String wrong = expected == 0 ? null : wrong(seq, before, more);
        damage = wrong == null ? null : damaged(wrong);
        if (before == seq - 1) {
            unsyncedFrom = start;
        }
        if (open == 0) {
            groupStart = start;
        }
        lastSeq = seq;
        expected = seq + 1;
        fresh = false;
        durable = before;
        open = more;
        if (open == 0) {
            goodEnd = position();
            goodSeq = seq;
        }
    }

    private @Nullable String wrong(long seq, long before, int more) {
        if (seq != expected) {
            return "seq " + seq + " follows " + (expected - 1);
        }
        if (open > 0 && more != open - 1) {
            return "more is " + more + " in a group that needs " + (open - 1);
        }
        // The first line of a repaired segment may come from the middle of a write.
        if (before != seq - 1 && before != durable && !fresh) {
            return "durable is " + before + " where a write can only say " + (seq - 1) + " or " + durable;
        }
        return null;
    }

    /**
     * Returns whether everything from the damage to the end may be the remains of writes that were never forced when the
     * power failed. Must be called after {@link #next} found damage. Power loss leaves such bytes missing or zero, never
     * different; and no later line may say that the damaged line was durable.
     */
    boolean torn(long damagedSeq) throws IOException {
        // A segment gets its name only after its head is durable, so a power loss cannot damage the head.
        if (headless || (terminated && Line.intact(bytes, from, to))) {
            return false;
        }
        do {
            int intactFrom = terminated ? lastLine() : -1;
            if ((intactFrom != from && !tearable()) || (intactFrom >= 0 && saysDurable(intactFrom, damagedSeq))) {
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
        for (int at = from; at + Line.PREFIX < to; at++) {
            if (Line.intact(bytes, at, to)) {
                return at;
            }
        }
        return -1;
    }

    private boolean saysDurable(int at, long seq) {
        try {
            int json = at + Line.PREFIX;
            return JournalRecord.parse(bytes, json, to - json).durable() >= seq;
        } catch (IOException nonsense) {
            return true;
        }
    }

    private boolean tearable() {
        for (int at = from; at < to; at++) {
            if (bytes[at] == 0) {
                return true;
            }
        }
        // An intact line followed by a byte other than a newline was not cut short: something changed that byte.
        return !terminated && !Line.intact(bytes, from, to - 1);
    }

    /** Reads the bytes up to the next newline or the end, as the current piece. */
    private boolean piece() throws IOException {
        start = position();
        from = next;
        to = from;
        do {
            to = newline(to);
            terminated = to < end;
        } while (!terminated && fill());
        next = terminated ? to + 1 : to;
        line += next > from ? 1 : 0;
        return next > from;
    }

    /**
     * The index of the next newline, or {@link #end} if there is none. Eight bytes are examined at a time: this is a tenth of the time of a
     * question about the past.
     */
    private int newline(int first) {
        int at = first;
        for (; at + Long.BYTES <= end; at += Long.BYTES) {
            long word = (long) LONGS.get(bytes, at) ^ NEWLINES;
            long zeros = (word - ONES) & ~word & HIGH_BITS;
            if (zeros != 0) {
                return at + Long.numberOfTrailingZeros(zeros) / Byte.SIZE;
            }
        }
        while (at < end && bytes[at] != '\n') {
            at++;
        }
        return at;
    }

    /** Reads on after the unfinished piece, which is moved to the front. The bytes grow only if they are full: R may be a line of 100 MB. */
    private boolean fill() throws IOException {
        // The rest of a longer line is dropped: its checksum does not match.
        int kept = Math.min(end - from, Line.LIMIT + 1);
        boolean full = bytes.length - kept < most && bytes.length < Line.LIMIT + 1 + CHUNK;
        byte[] target = full ? new byte[Math.min(2 * bytes.length, Line.LIMIT + 1 + CHUNK)] : bytes;
        if (full || from > 0) {
            System.arraycopy(bytes, from, target, 0, kept);
        }
        bytes = target;
        from = 0;
        to = kept;
        long room = Math.min(Math.min(bytes.length - kept, most), limit - read);
        ByteBuffer free = ByteBuffer.wrap(bytes, kept, (int) Math.max(0, room));
        file.read(free, read);
        end = free.position();
        read += end - kept;
        most = Math.min(2 * most, CHUNK);
        return end > kept;
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

    /** The offset of the next line. */
    long position() {
        return read - (end - next);
    }

    /** The offset of the last line that was read. */
    long start() {
        return start;
    }

    /** The seq that the next line must have, also if there is no such line yet; 0 after damage. */
    long expected() {
        return expected;
    }

    /** When the segment was begun, by the clock of the daemon; the epoch if the head is damaged. */
    Instant begun() {
        return begun;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
