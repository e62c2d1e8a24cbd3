package io.muster.daemon.journal;

import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.Archive;
import io.muster.inventory.hostlist.HostSearch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Reads the past from a state directory, without a lock, even while a daemon writes to the directory. */
public final class JournalArchive implements Archive {
    private static final SideFile SUMS = new SideFile(".sums", 0x6d737332); // "mss2"

    private final Disk disk;
    private final LongConsumer progress;
    /** The segments that {@link #prepare} has indexed, or found indexed or damaged. */
    private final Set<Segment> prepared = new HashSet<>();

    public JournalArchive(Disk disk) {
        this(disk, bytes -> {});
    }

    /** @param progress receives the size of each segment when its reading begins */
    public JournalArchive(Disk disk, LongConsumer progress) {
        this.disk = disk;
        this.progress = progress;
    }

    /** Returns the size of all files that a reading may read. */
    public long bytes() throws IOException {
        return Segment.list(disk).stream().mapToLong(Segment::size).sum();
    }

    @Override
    public Reading open(Selection selection) throws IOException {
        return new Pass(selection, SnapshotFile.list(disk), Segment.list(disk));
    }

    /** Indexes one segment that is no longer written. */
    @Override
    public boolean prepare() throws IOException {
        List<Segment> segments = Segment.list(disk);
        prepared.retainAll(segments);
        SegmentIndex.FILE.deleteOthers(disk, segments);
        SUMS.deleteOthers(disk, segments);
        for (Segment segment : segments.subList(0, Math.max(0, segments.size() - 1))) {
            if (!prepared.contains(segment)) {
                try {
                    SegmentIndex.prepare(disk, segment);
                } catch (NoSuchFileException deleted) {
                    // The daemon deletes old segments, and the next call does not find this one.
                }
                prepared.add(segment);
                return true;
            }
        }
        return false;
    }

    @Override
    public List<Part> parts() throws IOException {
        List<Segment> segments = Segment.list(disk);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i + 1 < segments.size(); i++) {
            Segment each = segments.get(i);
            long last = segments.get(i + 1).first() - 1;
            parts.add(new Part(each.first(), last, each.size(), each.modified().toEpochMilli()));
        }
        return parts;
    }

    private static Segment segment(Part part) {
        return new Segment(part.first(), part.size(), Instant.ofEpochMilli(part.modified()));
    }

    @Override
    public @Nullable ByteBuffer sums(Part part) {
        return SUMS.read(disk, segment(part));
    }

    @Override
    public void keepSums(Part part, ByteBuffer sums) {
        try {
            SUMS.write(disk, segment(part), sums);
        } catch (IOException full) {
            // The part may be deleted by now, or the disk may be full. The next question reads the part again.
        }
    }

    private final class Pass implements Reading {
        private final Selection selection;
        private final HostSearch hosts;
        private final Deque<Segment> segments;
        private final List<SnapshotFile.Head> snapshots;
        private final Deque<Item> ready = new ArrayDeque<>();
        private @Nullable SegmentReader reader;
        /** The index that says which lines to read; null to read every line. */
        private @Nullable SegmentIndex index;
        /** The first damage after the last event, until the next event shows which ones are missing. */
        private @Nullable CorruptException damage;

        /** The seq of the next event to read. */
        private long next;
        /** Whether events are missing and no state has replaced them yet. */
        private boolean gap;
        /** The seq of the last event that is missing; meaningful only in a gap. */
        private long gapEnd;

        Pass(Selection selection, List<SnapshotFile.Head> snapshots, List<Segment> segments) throws IOException {
            this.selection = selection;
            this.hosts = new HostSearch(selection.hosts());
            this.segments = new ArrayDeque<>(segments);
            this.next = segments.isEmpty() ? 1 : segments.get(0).first();
            this.snapshots = snapshots.stream()
                    .filter(head -> head.seq() <= selection.lastSeq() && head.seq() + 1 >= next)
                    .toList();
            if (next > 1) {
                miss("", next - 1);
            }
            for (int i = this.snapshots.size() - 1; i >= 0 && !beginWith(this.snapshots.get(i)); i--) {
                // An earlier snapshot may be from before the period, and readable.
            }
            while (this.segments.size() > 1 && second().first() <= next) {
                this.segments.remove();
            }
        }

        private Segment second() {
            return segments.stream().skip(1).findFirst().orElseThrow();
        }

        private boolean beginWith(SnapshotFile.Head head) throws IOException {
            if (head.timestamp() > selection.since() || head.seq() > selection.beginSeq()) {
                return false;
            }
            ready.clear();
            miss("", head.seq());
            boolean begins = add(head);
            next = begins ? head.seq() + 1 : next;
            return begins;
        }

        private void miss(String damage, long last) {
            ready.add(new Item.Missing(damage));
            gap = true;
            gapEnd = last;
        }

        @Override
        public @Nullable Item next() throws IOException {
            while (ready.isEmpty() && (reader != null || advance())) {
                read();
            }
            if (ready.isEmpty()) {
                fillGap(selection.lastSeq());
            }
            return ready.poll();
        }

        private void read() throws IOException {
            SegmentReader current = Objects.requireNonNull(reader);
            JournalRecord event = next(current);
            CorruptException found = current.unfinished() ? null : current.damage();
            if (found != null) {
                damage = damage == null ? found : damage;
                return;
            }
            resume(event);
            if (event == null || event.seq() > selection.lastSeq()) {
                next = Math.max(next, event == null ? current.expected() : event.seq());
                close();
            } else if (event.seq() >= next) {
                fillGap(event.seq() - 1);
                ready.add(new Item.Event(event.event()));
            }
        }

        private @Nullable JournalRecord next(SegmentReader current) throws IOException {
            SegmentIndex known = index;
            if (known != null) {
                long offset = current.position();
                long seq = current.expected();
                boolean wanted = known.advance(current, next, selection.lastSeq());
                JournalRecord event = wanted ? current.next() : null;
                if (event != null || !wanted) {
                    return event;
                }
                index = null; // the segment has changed since, or the index is wrong
                current.select(this::isWanted, selection.lastSeq());
                current.seek(offset, seq);
            }
            return current.next();
        }

        private boolean isWanted(PlainLine line) {
            return line.seq() >= next && line.mayName(hosts);
        }

        /** @param event the first event after damage; null at the end of the segment */
        private void resume(@Nullable JournalRecord event) {
            CorruptException found = damage;
            damage = null;
            if (found == null || (event != null && event.seq() <= next)) {
                return; // a state that was passed on includes the events that are missing
            }
            Segment following = segments.peek();
            long end = following == null ? Long.MAX_VALUE : following.first();
            miss(found.place() + ": " + found.sentence(), (event == null ? end : event.seq()) - 1);
            next = Math.max(next, event == null ? 0 : event.seq());
        }

        /** Opens the next segment; returns false after the last one that is of interest. */
        private boolean advance() throws IOException {
            Segment segment = segments.poll();
            if (segment == null || segment.first() > selection.lastSeq()) {
                return false;
            }
            boolean follows = segment.first() <= next || gap;
            try {
                SegmentReader opened = SegmentReader.open(disk, segment);
                reader = opened;
                damage = opened.damage();
                index = damage == null && hosts.isSelective()
                        ? SegmentIndex.read(disk, segment, opened.position(), hosts)
                        : null;
                opened.select(index == null ? this::isWanted : null, selection.lastSeq());
                progress.accept(segment.size());
                if (!follows) {
                    miss("the events before " + segment.name() + " are missing", segment.first() - 1);
                }
            } catch (NoSuchFileException deleted) {
                Segment following = segments.peek();
                miss("", following == null ? Long.MAX_VALUE : following.first() - 1);
            }
            return true;
        }

        /** Passes on a state in place of events that are missing, if a snapshot from before an event is kept. */
        private void fillGap(long before) throws IOException {
            for (SnapshotFile.Head head : snapshots) {
                if (gap && head.seq() >= Math.max(gapEnd, next - 1) && head.seq() <= before) {
                    add(head);
                }
            }
        }

        /** @return whether the snapshot could be read */
        private boolean add(SnapshotFile.Head head) throws IOException {
            try {
                SnapshotFile snapshot = SnapshotFile.read(disk, head.name());
                if (snapshot == null || snapshot.seq() != head.seq()) {
                    return false; // replaced meanwhile
                }
                ready.add(new Item.State(snapshot.seq(), snapshot.timestamp(), snapshot.state()));
                gap = false;
                return true;
            } catch (CorruptException damaged) {
                miss(damaged.place() + ": " + damaged.sentence(), gapEnd);
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            SegmentReader current = reader;
            reader = null;
            if (current != null) {
                current.close();
            }
        }
    }
}
