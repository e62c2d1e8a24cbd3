package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Storage;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalListener;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Snapshot;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;

/** The contents of the state directory: the state, and the last entries that led to it. */
final class Recovered implements Replay {
    private final int mostRecent;
    private final Deque<Recent> recent = new ArrayDeque<>();
    private long recentCharacters;
    private InventoryState state = InventoryState.empty();
    private double before;
    private double snapshotTime;
    private long events;
    private long lastSeq;
    private double seconds;

    private record Recent(Entry entry, int length) {}

    /** @param mostRecent the number of last entries to keep */
    Recovered(int mostRecent) {
        this.mostRecent = mostRecent;
    }

    /**
     * Locks the state directory and reads it.
     *
     * @param uid the daemon's uid
     * @param executor runs the journal's callbacks
     */
    Journal open(Storage storage, int uid, JournalListener listener, Executor executor) throws IOException {
        JournalSettings settings = new JournalSettings(
                JournalSettings.DEFAULT.segmentBytes(), storage.historyAge().toDuration(), storage.historySize());
        long start = System.nanoTime();
        try {
            Journal journal = Journal.open(
                    LocalDisk.serving(storage.stateDir(), uid),
                    settings,
                    this,
                    listener,
                    executor,
                    InstantSource.system());
            seconds = (System.nanoTime() - start) / 1e9;
            return journal;
        } catch (IllegalArgumentException e) {
            throw new UnreadableException(
                    storage.stateDir() + ": whole, but not understood after event " + lastSeq
                            + "; was it written by a newer version? " + e.getMessage(),
                    e);
        }
    }

    /** The files are intact, but this program does not understand their contents. */
    static final class UnreadableException extends IOException {
        UnreadableException(String sentence, Throwable cause) {
            super(sentence, cause);
        }
    }

    @Override
    public void snapshot(long seq, double timestamp, ObjectNode snapshot) {
        state = Snapshot.parse(snapshot);
        before = timestamp;
        snapshotTime = timestamp;
        lastSeq = seq;
    }

    @Override
    public void event(JournalRecord record) {
        Entry entry = Entry.parse(record.event());
        state = entry.applyTo(state);
        events++;
        lastSeq = entry.seq();
        Recent shown = entry.event() instanceof Event.Define define
                ? new Recent(withoutR(entry, define), 0)
                : new Recent(entry, record.json().length());
        recent.add(shown);
        recentCharacters += shown.length;
        while (recent.size() > mostRecent || (recentCharacters > JournalStreams.MOST_CHARACTERS && recent.size() > 1)) {
            Recent dropped = recent.remove();
            recentCharacters -= dropped.length;
            before = dropped.entry.timestamp();
        }
    }

    /** The entry with an empty R. Followers are sent the current R, and keeping earlier ones would fill the heap. */
    private static Entry withoutR(Entry entry, Event.Define define) {
        Event.Define emptied = new Event.Define(define.method(), ResourceSet.EMPTY, define.initial());
        return new Entry(entry.seq(), entry.timestamp(), entry.by(), emptied);
    }

    InventoryState state() {
        return state;
    }

    /** When the last entry before {@link #recent} happened; 0 if there was none. */
    double before() {
        return before;
    }

    List<Entry> recent() {
        return recent.stream().map(Recent::entry).toList();
    }

    long events() {
        return events;
    }

    /** When the snapshot was written; 0 without one. */
    double snapshotTime() {
        return snapshotTime;
    }

    /** The time that recovery took. */
    double seconds() {
        return seconds;
    }
}
