package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.LongConsumer;

/**
 * Copies the snapshots and the journal of one state directory to another, even while a daemon writes to the first. The copy
 * has every change that was responded to before the copy began, and is checked as {@code muster journal verify} does. Until
 * everything is on disk and checked, a file in the target keeps a daemon from starting there.
 */
public final class JournalCopy {
    /** A file that is created in the target before any other, and deleted when the copy is complete. */
    static final String UNFINISHED = "unfinished";

    private static final String ASIDE = "replaced.";
    private static final int BLOCK = 256 << 10;
    /** The number of attempts to read bytes that a daemon takes back in the meantime because its disk fails. */
    private static final int MOST_TRIES = 5;

    private final Disk from;
    private final Disk to;
    private final LongConsumer progress;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK);
    private final ByteBuffer again = ByteBuffer.allocate(BLOCK);
    private long bytes;

    private JournalCopy(Disk from, Disk to, LongConsumer progress) {
        this.from = from;
        this.to = to;
        this.progress = progress;
    }

    /**
     * The contents of the target after a copy.
     *
     * @param lastSeq seq of the last event; 0 if there is none
     * @param aside directory in the target with its earlier contents; "" if the target was empty
     */
    public record CopyResult(long lastSeq, int segments, long bytes, String aside) {}

    /**
     * Copies a state directory to an empty one.
     *
     * @param progress receives the bytes of journal copied so far
     * @throws FileAlreadyExistsException if the target has a state, or a part of one
     * @throws CorruptException if the source is damaged, with the place
     */
    public static CopyResult backup(Disk from, Disk to, Instant now, LongConsumer progress) throws IOException {
        return copy(from, to, now, false, progress);
    }

    /**
     * Copies a backup to the directory from which a daemon is to start.
     *
     * @param force whether to move an existing state into a subdirectory instead of refusing
     * @throws LockedException if a daemon runs there
     * @throws FileAlreadyExistsException if the target has a state, or a part of one, and {@code force} is false
     */
    public static CopyResult restore(Disk from, Disk to, Instant now, boolean force, LongConsumer progress)
            throws IOException {
        refuseUnfinished(from);
        if (!JournalCheck.verify(from, read -> {}).startable()) {
            throw new IOException(from.where() + " is damaged: `muster journal verify --state-dir " + from.where()
                    + "` lists every problem");
        }
        return copy(from, to, now, force, progress);
    }

    private static CopyResult copy(Disk from, Disk to, Instant now, boolean force, LongConsumer progress)
            throws IOException {
        refuseUnfinished(from);
        if (files(from).isEmpty()) {
            throw new IOException(from.where() + " holds no state to copy");
        }
        try (Closeable lock = to.lock(Journal.LOCK, now);
                Closeable history = from.share(Log.RETENTION)) {
            Objects.requireNonNull(lock);
            Objects.requireNonNull(history);
            boolean occupied = isUnfinished(to) || !files(to).isEmpty();
            if (occupied && !force) {
                throw new FileAlreadyExistsException(to.where());
            }
            mark(to);
            String aside = occupied ? setAside(to) : "";
            return new JournalCopy(from, to, progress).run(aside);
        }
    }

    /** Returns whether a copy to this directory has begun and not finished. */
    public static boolean isUnfinished(Disk disk) throws IOException {
        return disk.list("").stream().anyMatch(entry -> entry.name().equals(UNFINISHED));
    }

    static void refuseUnfinished(Disk disk) throws IOException {
        if (isUnfinished(disk)) {
            throw CorruptException.unfinished(disk.where());
        }
    }

    private static void mark(Disk disk) throws IOException {
        try (Disk.File mark = disk.open(UNFINISHED, Disk.Access.CREATE)) {
            String text = "A backup or a restore into this directory has not finished.\n";
            mark.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
            mark.force(true);
        }
        disk.forceDirectory("");
    }

    /** Returns the files that a start would read. */
    private static List<String> files(Disk disk) throws IOException {
        List<String> files = new ArrayList<>();
        disk.list("").stream()
                .map(Disk.Entry::name)
                .filter(SnapshotFile::isSnapshot)
                .forEach(files::add);
        Segment.list(disk).forEach(segment -> files.add(segment.name()));
        return files;
    }

    /** Moves the existing state into a subdirectory that is a state directory itself, so that it can be restored too. */
    private static String setAside(Disk disk) throws IOException {
        int n = 1;
        while (!disk.list(ASIDE + n).isEmpty()
                || !disk.list(ASIDE + n + "/" + Segment.DIRECTORY).isEmpty()) {
            n++;
        }
        String aside = ASIDE + n;
        disk.makeDirectory(aside + "/" + Segment.DIRECTORY);
        for (String name : files(disk)) {
            disk.rename(name, aside + "/" + name);
        }
        disk.forceDirectory(aside + "/" + Segment.DIRECTORY);
        disk.forceDirectory(aside);
        return aside;
    }

    private CopyResult run(String aside) throws IOException {
        to.makeDirectory(Segment.DIRECTORY);
        for (SnapshotFile.Head kept : SnapshotFile.listKept(from)) {
            snapshot(kept.name());
        }
        snapshot(SnapshotFile.PREVIOUS);
        snapshot(SnapshotFile.FILE);
        List<Segment> segments = Segment.list(from);
        for (int i = 0; i < segments.size(); i++) {
            String name = segments.get(i).name();
            if (i + 1 == segments.size()) {
                last(segments.get(i));
            } else {
                copy(name, Long.MAX_VALUE);
            }
            progress.accept(bytes);
        }
        to.forceDirectory(Segment.DIRECTORY);
        to.forceDirectory("");
        long lastSeq = check();
        to.delete(UNFINISHED);
        to.forceDirectory("");
        return new CopyResult(lastSeq, segments.size(), bytes, aside);
    }

    private void snapshot(String name) throws IOException {
        try {
            copy(name, Long.MAX_VALUE);
        } catch (NoSuchFileException none) {
            // There is no snapshot before the daemon first stops or has written 100,000 events.
        }
    }

    /**
     * Copies the beginning of a file.
     *
     * @param most number of bytes to copy; a daemon may append more to the file
     */
    private void copy(String name, long most) throws IOException {
        try (Disk.File source = from.open(name, Disk.Access.READ)) {
            long end = Math.min(most, source.size());
            try (Disk.File target = to.open(name, Disk.Access.CREATE)) {
                for (long at = 0; at < end; at += block.limit()) {
                    read(source, name, block, at, end);
                    target.write(block.duplicate(), at);
                }
                target.force(true);
            }
            bytes += end;
        }
    }

    private static void read(Disk.File source, String name, ByteBuffer block, long at, long end) throws IOException {
        source.read(block.clear().limit((int) Math.min(block.capacity(), end - at)), at);
        if (block.hasRemaining()) {
            throw new IOException(name + " was cut while it was read: it ends at byte " + (at + block.position()));
        }
        block.flip();
    }

    /**
     * Copies the segment to which a daemon may append, up to its last complete command. A daemon whose disk fails may still
     * take back the lines that no other line calls durable. Therefore the copy forces these lines in the source and compares
     * them afterwards.
     */
    private void last(Segment segment) throws IOException {
        for (int i = 0; i < MOST_TRIES; i++) {
            long end;
            long unsyncedFrom;
            try (SegmentReader reader = SegmentReader.open(from, segment)) {
                readThrough(reader);
                end = reader.goodEnd();
                unsyncedFrom = reader.unsyncedFrom();
            }
            copy(segment.name(), end);
            if (isSame(segment.name(), unsyncedFrom, end)) {
                return;
            }
            bytes -= end;
        }
        throw new IOException(segment.name() + " changes again and again while it is copied: is its disk failing?");
    }

    private static void readThrough(SegmentReader reader) throws IOException {
        CorruptException damage = reader.damage();
        while (damage == null && reader.next() != null) {
            // Only the end of the last complete command is of interest.
        }
        damage = damage == null ? reader.damage() : damage;
        if (damage != null && !reader.torn(reader.lastSeq() + 1)) {
            throw damage;
        }
    }

    private boolean isSame(String name, long start, long end) throws IOException {
        try (Disk.File source = from.open(name, Disk.Access.READ);
                Disk.File target = to.open(name, Disk.Access.READ)) {
            source.force(false);
            if (source.size() < end) {
                return false;
            }
            for (long at = start; at < end; at += block.limit()) {
                read(source, name, block, at, end);
                read(target, name, again, at, end);
                if (!block.equals(again)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Checks the copy.
     *
     * @return the last seq
     */
    private long check() throws IOException {
        JournalCheck.CheckResult report = JournalCheck.verify(to, read -> {});
        for (JournalCheck.Finding finding : report.findings()) {
            if (finding.severity().compareTo(JournalCheck.Severity.TORN) >= 0
                    && !finding.file().equals(UNFINISHED)) {
                throw new IOException("the state that was copied is damaged: " + finding
                        + "; `muster journal verify` lists" + " all damage in " + from.where());
            }
        }
        return Math.max(report.lastSeq(), report.snapshotSeq());
    }
}
