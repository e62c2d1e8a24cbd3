package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Storage;
import io.muster.daemon.core.JournalStreams;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contents of the state directory: the state, and the last entries that led to it. */
final class Recovered implements Replay {
    private static final Logger log = LoggerFactory.getLogger("muster");
    private static final int MOST_MENDED_TOLD = 10;

    private final int mostRecent;
    private final WallClock clock;
    private final Deque<Recent> recent = new ArrayDeque<>();
    private long recentCharacters;
    private InventoryState state = InventoryState.empty();
    private double before;
    private double snapshotTime;
    private double lastTime;
    private long events;
    private long lastSeq;
    private double seconds;
    private long mended;

    private record Recent(Entry entry, int length) {}

    /** @param mostRecent how many of the last events to keep */
    Recovered(int mostRecent, WallClock clock) {
        this.mostRecent = mostRecent;
        this.clock = clock;
    }

    /**
     * Locks the state directory and reads it.
     *
     * @param uid the daemon's uid
     * @param executor runs the journal's callbacks
     */
    Journal open(Storage storage, int uid, LedgerListener listener, Executor executor) throws IOException {
        JournalSettings settings = new JournalSettings(
                JournalSettings.DEFAULT.segmentBytes(),
                storage.historyAge().toDuration(),
                storage.historySize(),
                clock::isDoubted);
        long start = System.nanoTime();
        try {
            LocalDisk disk = LocalDisk.serving(storage.stateDir(), uid);
            Journal journal = Journal.open(disk, settings, this, listener, executor, clock);
            clock.start(lastTime);
            seconds = (System.nanoTime() - start) / 1e9;
            if (mended > MOST_MENDED_TOLD) {
                log.warn("{} more places like these were mended", mended - MOST_MENDED_TOLD);
            }
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
        mend("the snapshot", snapshot);
        state = StateJson.parse(snapshot);
        before = timestamp;
        snapshotTime = timestamp;
        lastTime = timestamp;
        lastSeq = seq;
    }

    @Override
    public void event(JournalRecord record) {
        mend("event " + record.seq(), record.event());
        Entry entry = Entry.parse(record.event());
        state = entry.applyTo(state);
        events++;
        lastTime = entry.timestamp();
        lastSeq = entry.seq();
        Recent shown = entry.event() instanceof Event.Define define
                ? new Recent(withoutR(entry, define), 0)
                : new Recent(entry, record.json().length());
        recent.add(shown);
        recentCharacters += shown.length;
        while (recent.size() > mostRecent || (recentCharacters > JournalStreams.MOST_BYTES && recent.size() > 1)) {
            Recent dropped = recent.remove();
            recentCharacters -= dropped.length;
            before = dropped.entry.timestamp();
        }
    }

    /** An earlier version took strings and numbers that no other program can read: the daemon starts with a replacement of each. */
    private void mend(String subject, ObjectNode document) {
        for (String place : PortableJson.mend(document)) {
            if (mended++ < MOST_MENDED_TOLD) {
                log.warn(
                        "{} has at {} what libjansson or a terminal does not take; its escape stands there instead",
                        subject,
                        place);
            }
        }
    }

    /** R is shown as it is now; those before it would fill the heap. */
    private static Entry withoutR(Entry entry, Event.Define define) {
        Event.Define emptied = new Event.Define(define.method(), ResourceSet.EMPTY, define.initial());
        return new Entry(entry.seq(), entry.timestamp(), entry.by(), emptied);
    }

    WallClock clock() {
        return clock;
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
