package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Reads every file of a state directory, including history, and reports everything that is wrong. {@code muster journal
 * verify} runs it. Changes nothing and needs no lock.
 */
public final class JournalCheck {
    /** The number of findings that are reported for one segment. More of them would not help the reader. */
    private static final int LIMIT = 100;

    /**
     * The number of attempts to read a directory while a running daemon changes it. A daemon deletes segments only after a
     * snapshot, and snapshots are minutes apart.
     */
    private static final int MOST_TRIES = 5;

    private final Disk disk;
    private final LongConsumer progress;
    private final List<Finding> findings = new ArrayList<>();
    private long events;
    private long lastSeq;
    private long bytes;

    public enum Severity {
        /** A remark; nothing needs to be done. */
        NOTE,
        /** Damage in history, which no start reads. */
        HISTORY,
        /**
         * An incomplete end, as a crash leaves it, which the next start cuts off; or the end that a running daemon is
         * writing now.
         */
        TORN,
        /** Damage that keeps the daemon from starting. */
        DAMAGE
    }

    /**
     * One fault in one file.
     *
     * @param line number of the line, counted from 1; 0 if the finding is about the whole file
     */
    public record Finding(Severity severity, String file, int line, long offset, String sentence) {
        @Override
        public String toString() {
            return severity + " " + CorruptException.place(file, line, offset) + ": " + sentence;
        }
    }

    /**
     * The result of a check.
     *
     * @param snapshotSeq seq of the snapshot; 0 if there is none, -1 if it is damaged
     */
    public record CheckResult(
            List<Finding> findings, int segments, long events, long firstSeq, long lastSeq, long snapshotSeq) {
        public boolean startable() {
            return findings.stream().noneMatch(f -> f.severity() == Severity.DAMAGE);
        }
    }

    private JournalCheck(Disk disk, LongConsumer progress) {
        this.disk = disk;
        this.progress = progress;
    }

    /**
     * Checks a state directory.
     *
     * @param progress receives the number of bytes read so far, after each segment
     */
    public static CheckResult verify(Disk disk, LongConsumer progress) throws IOException {
        for (int i = 1; i < MOST_TRIES; i++) {
            List<Disk.Entry> before = contents(disk);
            try {
                CheckResult report = new JournalCheck(disk, progress).run();
                if (report.findings().isEmpty() || contents(disk).equals(before)) {
                    return report;
                }
                // Files changed during the check, so a finding may be a write that was in progress. The loop checks
                // again.
            } catch (NoSuchFileException deleted) {
                // A daemon deleted a segment after the directory was listed. The loop lists the directory again.
            }
        }
        return new JournalCheck(disk, progress).run();
    }

    private static List<Disk.Entry> contents(Disk disk) throws IOException {
        List<Disk.Entry> entries = new ArrayList<>(disk.list(""));
        entries.addAll(disk.list(Segment.DIRECTORY));
        return entries;
    }

    private CheckResult run() throws IOException {
        if (JournalCopy.isUnfinished(disk)) {
            find(Severity.DAMAGE, CorruptException.unfinished(disk.where()));
        }
        unfinished("");
        unfinished(Segment.DIRECTORY);
        for (SnapshotFile.Head kept : SnapshotFile.listKept(disk)) {
            snapshot(kept.name(), Severity.HISTORY);
        }
        snapshot(SnapshotFile.PREVIOUS, Severity.NOTE);
        long base = snapshot(SnapshotFile.FILE, Severity.DAMAGE);
        List<Segment> segments = Segment.list(disk);
        for (int i = 0; i < segments.size(); i++) {
            boolean needed = i + 1 == segments.size() || segments.get(i + 1).first() > base + 1;
            segment(segments.get(i), i + 1 == segments.size(), needed ? Severity.DAMAGE : Severity.HISTORY);
            follow(segments, i, base);
        }
        if (!segments.isEmpty() && base >= 0) {
            ends(segments, base);
        } else if (base == 0 && SnapshotFile.isMissed(disk)) {
            find(Severity.DAMAGE, SnapshotFile.FILE, 0, 0, "it is missing, although the previous snapshot exists");
        }
        long first = segments.isEmpty() ? 0 : segments.get(0).first();
        return new CheckResult(List.copyOf(findings), segments.size(), events, first, lastSeq, base);
    }

    private void unfinished(String directory) throws IOException {
        for (Disk.Entry entry : disk.list(directory)) {
            if (entry.name().endsWith(Segment.UNFINISHED)) {
                String name = directory.isEmpty() ? entry.name() : directory + "/" + entry.name();
                find(Severity.NOTE, name, 0, 0, "left over from a crash; the next start deletes it");
            }
        }
    }

    private long snapshot(String name, Severity severity) throws IOException {
        try {
            SnapshotFile snapshot = SnapshotFile.read(disk, name);
            return snapshot == null ? 0 : snapshot.seq();
        } catch (CorruptException e) {
            find(severity, e);
            return -1;
        }
    }

    private void segment(Segment segment, boolean last, Severity severity) throws IOException {
        int found = findings.size();
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            CorruptException damage = reader.damage();
            boolean head = damage != null;
            while (damage != null || read(reader)) {
                damage = damage == null ? reader.damage() : damage;
                if (damage != null && findings.size() - found < LIMIT) {
                    boolean torn = last && !head && findings.size() == found && torn(segment);
                    find(torn ? Severity.TORN : severity, damage);
                    if (torn) {
                        break;
                    }
                }
                damage = null;
            }
            lastSeq = reader.lastSeq();
            if (reader.groupOpen() && findings.size() == found) {
                find(
                        last ? Severity.TORN : severity,
                        segment.name(),
                        reader.line(),
                        reader.groupStart(),
                        "the command" + " that begins here is not complete");
            }
            bytes += segment.size();
            progress.accept(bytes);
        }
    }

    /**
     * Reads events up to the next damage or to the end.
     *
     * @return whether damage was found
     */
    private boolean read(SegmentReader reader) throws IOException {
        while (reader.next() != null) {
            events++;
        }
        return reader.damage() != null;
    }

    private boolean torn(Segment segment) throws IOException {
        try (SegmentReader reader = SegmentReader.open(disk, segment)) {
            while (reader.next() != null) {
                // The intact events before the damage are skipped.
            }
            return reader.torn(reader.lastSeq() + 1);
        }
    }

    private void follow(List<Segment> segments, int i, long base) {
        if (i + 1 < segments.size() && segments.get(i + 1).first() != lastSeq + 1) {
            long next = segments.get(i + 1).first();
            find(
                    next <= base + 1 ? Severity.HISTORY : Severity.DAMAGE,
                    segments.get(i).name(),
                    0,
                    0,
                    "it ends with seq " + lastSeq + " and the next segment begins with " + next);
        }
    }

    private void ends(List<Segment> segments, long base) {
        Segment first = segments.get(0);
        if (first.first() > base + 1) {
            find(Severity.DAMAGE, first.name(), 0, 0, "it begins after the snapshot's seq " + base);
        }
        if (lastSeq < base) {
            Segment last = segments.get(segments.size() - 1);
            find(
                    Severity.DAMAGE,
                    last.name(),
                    0,
                    0,
                    "it ends with seq " + lastSeq + " and the snapshot holds seq " + base);
        }
    }

    private void find(Severity severity, CorruptException e) {
        find(severity, e.file(), e.line(), e.offset(), e.sentence());
    }

    private void find(Severity severity, String file, int line, long offset, String sentence) {
        findings.add(new Finding(severity, file, line, offset, sentence));
    }
}
