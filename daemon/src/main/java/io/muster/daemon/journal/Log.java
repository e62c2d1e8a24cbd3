package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Batch;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.inventory.level.Level;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The segments of the state directory while the daemon runs: writes to the segment in use, begins new segments and deletes
 * old ones. Uses no threads and no locks; only the journal thread calls it.
 */
final class Log implements Closeable {
    private static final String PROBE = Segment.DIRECTORY + "/probe" + Segment.UNFINISHED;
    /** The name of a lock file that is locked exclusively while history is deleted, and shared while history is copied. */
    static final String RETENTION = "retention";

    private static final Duration PATIENCE_WITH_COPY = Duration.ofHours(1);
    /** The time between two warnings that history is deleted because of its size. */
    private static final Duration BETWEEN_CUTS = Duration.ofHours(1);

    private final Disk disk;
    private final Disk.Lock lock;
    private final JournalSettings settings;
    private final LedgerListener listener;
    private final InstantSource clock;
    private final ByteBuffer buffer = SegmentWriter.buffer();

    private SegmentWriter writer;
    /** The level of the files that are begun from now on. */
    private Level level;

    private volatile long snapshotSeq;
    /** The size of all segments except the one in use. */
    private long otherBytes;

    private volatile long bytes;
    private long previousSeq;
    private long rotateAt;
    /**
     * The first seq of a segment that was begun but cannot be used; 0 if there is none. While a file of this name may exist,
     * nothing is written to the segment before it: a start would find events in that segment that belong after the first seq
     * of the other.
     */
    private long stray;
    /**
     * The seq of the state from which the journal is to continue, if a failure kept it from doing so; otherwise 0. Nothing is written
     * until the journal continues from there: a start would do so, and would find events in the segment before that belong after the state.
     */
    private long rebasing;
    /** The time since which a copy keeps segments from being deleted; null if none does. A warning sets it to the far future. */
    private @Nullable Instant heldSince;
    /** The time of the last warning that history was deleted because of its size; null if there was none. */
    private @Nullable Instant cutWarnedAt;

    Log(
            Disk disk,
            Disk.Lock lock,
            JournalSettings settings,
            Replay replay,
            LedgerListener listener,
            InstantSource clock)
            throws IOException {
        this.disk = disk;
        this.lock = lock;
        this.settings = settings;
        this.listener = listener;
        this.clock = clock;
        Recovery.Recovered recovered = new Recovery(disk, replay, listener, buffer, now()).run();
        this.writer = recovered.writer();
        this.level = recovered.level();
        this.snapshotSeq = recovered.snapshotSeq();
        this.previousSeq = recovered.previousSeq();
        this.rotateAt = settings.segmentBytes();
        this.otherBytes = Segment.list(disk).stream()
                .filter(segment -> segment.first() != writer.first())
                .mapToLong(Segment::size)
                .sum();
        measure();
        makeRetentionLock();
    }

    /** Creates the lock file of the history, because a copy that begins before the first deletion of history must find the file. */
    private void makeRetentionLock() {
        try {
            Closeable created = disk.alone(RETENTION);
            if (created != null) {
                created.close();
            } // otherwise a copy is running, so the file exists
        } catch (IOException e) {
            listener.warning("the lock file of the history could not be created: " + e.getMessage());
        }
    }

    private void measure() {
        bytes = otherBytes + writer.durableOffset();
    }

    /** Returns the size of the durable part of all segments. May be called from any thread. */
    long bytes() {
        return bytes;
    }

    long nextSeq() {
        return writer.lastSeq() + 1;
    }

    long durableSeq() {
        return writer.durableSeq();
    }

    long snapshotSeq() {
        return snapshotSeq;
    }

    /** Returns the number of bytes written since the last force. */
    int unforced() {
        return (int) Math.min(Integer.MAX_VALUE, writer.written() - writer.durableOffset());
    }

    /** Checks, before the first batch of a group, that the files are still in place, and removes the rest of a failed write. */
    void begin() throws IOException {
        check();
        checkRebased();
        writer.rollback();
        dropStray();
    }

    /**
     * Checks that the files are still in place.
     *
     * @throws IOException if a start would not find what is written now, or if another daemon may write there too
     */
    void check() throws IOException {
        lock.check();
        writer.checkLinked();
    }

    void append(Batch batch) throws IOException {
        // Dropped before appending, because long events are written to the file at once.
        writer.append(batch.events());
    }

    void write() throws IOException {
        writer.write();
    }

    void force() throws IOException {
        writer.force();
        measure();
    }

    boolean leftover() {
        return writer.leftover();
    }

    void rollback() throws IOException {
        if (writer.leftover()) {
            lock.check();
        }
        writer.rollback();
    }

    /** Tests with a real write whether writes succeed. */
    void probe() throws IOException {
        check();
        finishRebase();
        begin();
        try (Disk.File file = disk.open(PROBE, Disk.Access.CREATE)) {
            file.write(ByteBuffer.allocate(1 << 16), 0);
            file.force(true);
        } finally {
            disk.delete(PROBE);
        }
    }

    void raise(Level to) {
        level = to.includes(level) ? to : level;
    }

    /** Names the level of the first event in the head of the first segment, before the event is appended. */
    void begins(Level first) throws IOException {
        if (nextSeq() == 1 && first != level) {
            lock.check();
            checkRebased();
            use(SegmentWriter.create(disk, 1, first, now(), buffer));
            otherBytes = 0; // the new segment has replaced the only one
            level = first;
        }
    }

    void snapshot(long seq, byte[] state) throws IOException {
        lock.check();
        checkRebased();
        long start = settings.machine().nanos();
        long bytes = SnapshotFile.write(disk, level, seq, now(), state);
        previousSeq = snapshotSeq;
        snapshotSeq = seq;
        listener.snapshotted(seq, now(), bytes, settings.machine().nanos() - start);
        rotate();
        if (stray == 0) {
            prune(); // first, because the disk may be full
        }
        keepForHistory();
        measure();
    }

    /**
     * Continues from a later state, without the events in between. Everything that was written before must be durable. After a failure,
     * {@link #probe} tries again.
     */
    void rebase(long seq, byte[] state) throws IOException {
        lock.check();
        finishRebase();
        if (seq <= durableSeq()) {
            throw new IOException("the journal already ends at seq " + durableSeq());
        }
        rebasing = seq;
        Rebase.begin(disk, level, seq, now(), state);
        finishRebase();
    }

    /** Continues from the state of {@link #rebase}, unless the disk did not take even the state. */
    private void finishRebase() throws IOException {
        long seq = rebasing;
        if (seq == 0) {
            return;
        }
        Rebase.finish(disk, now(), buffer);
        if (SnapshotFile.readSeq(disk, SnapshotFile.FILE) == seq) {
            disk.forceDirectory("");
            long head = Segment.list(disk).stream()
                    .filter(segment -> segment.first() == seq + 1)
                    .mapToLong(Segment::size)
                    .sum();
            use(SegmentWriter.reopen(disk, seq + 1, head, 0, seq, buffer));
            snapshotSeq = seq;
            measure();
        }
        rebasing = 0;
    }

    private void checkRebased() throws IOException {
        if (rebasing > 0) {
            throw new IOException(
                    "the journal is to continue from seq " + rebasing + ", which the disk has not let it do yet");
        }
    }

    /**
     * Keeps the first snapshot of each month: when the events before such a snapshot are deleted, history begins with the
     * snapshot's state.
     */
    private void keepForHistory() {
        if (!settings.agePaused().getAsBoolean()) {
            try {
                SnapshotFile.keep(disk, clock.instant());
            } catch (IOException e) {
                listener.warning("the snapshot for the history of this month could not be kept: " + e.getMessage());
            }
        }
    }

    void rotateIfLong() {
        if (writer.durableOffset() >= rotateAt) {
            rotate();
        }
    }

    /** Begins a new segment. On failure the journal continues in the current segment, which does no harm. */
    private void rotate() {
        boolean settled = !writer.leftover() && writer.lastSeq() == writer.durableSeq();
        if (!settled || nextSeq() == writer.first()) {
            return;
        }
        try {
            use(begun());
        } catch (IOException e) {
            rotateAt = writer.durableOffset() + settings.segmentBytes();
            listener.warning("a new journal segment could not be begun; the journal continues in "
                    + Segment.name(writer.first()) + ": " + e.getMessage());
        }
    }

    /**
     * Makes a new segment the one in use. Its name is forced now or, if that fails, before the response to the first change
     * in it.
     */
    private void use(SegmentWriter next) {
        SegmentWriter old = writer;
        writer = next;
        otherBytes += old.durableOffset();
        rotateAt = settings.segmentBytes();
        try {
            old.close();
            next.name();
        } catch (IOException e) {
            listener.warning("the disk failed when " + Segment.name(next.first()) + " was begun: " + e.getMessage());
        }
    }

    private SegmentWriter begun() throws IOException {
        int end = SegmentWriter.prepare(disk, nextSeq(), level, now());
        stray = nextSeq();
        boolean begun = false;
        try {
            SegmentWriter next = SegmentWriter.begin(disk, nextSeq(), end, buffer);
            begun = true;
            return next;
        } finally {
            if (begun) {
                stray = 0;
            } else {
                tryDropStray();
            }
        }
    }

    private void tryDropStray() {
        try {
            dropStray();
        } catch (IOException e) {
            listener.warning("the unused new segment could not be deleted yet: " + e.getMessage());
        }
    }

    private void dropStray() throws IOException {
        if (stray > 0) {
            disk.delete(Segment.name(stray));
            disk.forceDirectory(Segment.DIRECTORY);
            stray = 0;
        }
    }

    /** Deletes segments that neither the current snapshot nor the previous one needs, if they are too old or the total is too large. */
    private void prune() {
        try (Closeable alone = disk.alone(RETENTION)) {
            Due due = due();
            if (alone != null) {
                heldSince = null;
                for (Segment segment : due.segments()) {
                    disk.delete(segment.name());
                    otherBytes -= segment.size();
                }
                SnapshotFile.deleteBefore(disk, Segment.list(disk).get(0).first() - 1);
                if (due.young() > 0) {
                    cut(due.young(), due.begins());
                }
            } else if (!due.segments().isEmpty()) {
                heldBack(due.segments());
            }
        } catch (IOException e) {
            listener.warning("old journal segments could not be deleted: " + e.getMessage());
        }
    }

    /** Warns once if a copy has kept segments from being deleted for so long that it probably hangs. */
    private void heldBack(List<Segment> due) {
        Instant since = heldSince == null ? clock.instant() : heldSince;
        heldSince = since;
        if (!since.plus(PATIENCE_WITH_COPY).isAfter(clock.instant())) {
            heldSince = Instant.MAX.minus(PATIENCE_WITH_COPY);
            listener.warning("since " + since + " a copy that locks the file " + RETENTION + " keeps " + due.size()
                    + " old journal segments of "
                    + due.stream().mapToLong(Segment::size).sum()
                    + " bytes from being deleted: look for a `muster journal backup` that hangs, and end it");
        }
    }

    /**
     * Reports that history is deleted before it is old, because whoever may change something can make others' changes disappear from
     * the history in this way.
     *
     * @param begins when the first event that is left was written, or a little later
     */
    private void cut(int segments, Instant begins) {
        listener.cut(segments);
        Instant now = clock.instant();
        if (cutWarnedAt == null || !cutWarnedAt.plus(BETWEEN_CUTS).isAfter(now)) {
            cutWarnedAt = now;
            listener.warning("history is deleted because its files are larger than muster.history-size ("
                    + settings.historyBytes() + " bytes), although it is younger than resource.history: it begins at "
                    + begins
                    + " now. See who makes so many changes with `muster history`, or raise muster.history-size");
        }
    }

    /**
     * The segments that are to be deleted, the oldest first.
     *
     * @param young how many of them are deleted only because of the size
     * @param begins when the first segment that stays was begun
     */
    private record Due(List<Segment> segments, int young, Instant begins) {}

    private Due due() throws IOException {
        List<Segment> segments = Segment.list(disk);
        long total = segments.stream().mapToLong(Segment::size).sum();
        Instant oldest = clock.instant().minus(settings.historyAge());
        int count = 0;
        int cut = 0;
        Instant begins = Instant.EPOCH;
        for (; count + 1 < segments.size(); count++) {
            Segment segment = segments.get(count);
            Segment following = segments.get(count + 1);
            boolean needed = following.first() > previousSeq + 1;
            Instant end = begun(following);
            boolean young = segment.modified().isAfter(oldest) || end.isAfter(oldest);
            boolean kept = young || settings.agePaused().getAsBoolean();
            if (needed || (total <= settings.historyBytes() && kept)) {
                break;
            }
            total -= segment.size();
            cut += young ? 1 : 0;
            begins = end;
        }
        return new Due(segments.subList(0, count), cut, begins);
    }

    private Instant begun(Segment segment) throws IOException {
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            return reader.begun();
        }
    }

    private double now() {
        Instant instant = clock.instant();
        return instant.getEpochSecond() + instant.getNano() / 1e9;
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
