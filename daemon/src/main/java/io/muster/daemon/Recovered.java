package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.config.Storage;
import io.muster.daemon.core.RecentEvents;
import io.muster.daemon.core.WallClock;
import io.muster.daemon.etcd.EtcdLedger;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.Tail;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.journal.disk.LocalDisk;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contents of the state directory: the state, and the last entries that led to it. */
final class Recovered implements Replay {
    private static final Logger log = LoggerFactory.getLogger("muster");

    /** No client waits for the copy, and forcing the disk after each change would slow down an etcd on the same disk. */
    private static final Duration LINGER = Duration.ofMillis(50);

    private final WallClock clock;
    private final Machine machine;
    private final RecentEvents recent;
    private InventoryState state = InventoryState.empty();
    private double snapshotTime;
    private double lastTime;
    private long events;
    private long lastSeq;
    private long lastEvent;
    private double seconds;
    /** The level in which an empty directory begins. */
    private Level fresh = Level.NEWEST;

    /** @param mostRecent how many of the last events to keep */
    Recovered(int mostRecent, WallClock clock, Machine machine) {
        this.clock = clock;
        this.machine = machine;
        this.recent = new RecentEvents(mostRecent);
    }

    /**
     * Locks the state directory and reads it.
     *
     * @param uid the daemon's uid
     * @param executor runs the journal's callbacks
     */
    Journal open(Storage storage, int uid, LedgerListener listener, Executor executor) throws IOException {
        if (Files.exists(storage.stateDir().resolve(EtcdLedger.COPY))) {
            throw new UnreadableException(storage.stateDir()
                    + " is the copy of a ledger on etcd, which has changes that the copy may lack: set ledger.kind to"
                    + " \"etcd\", or make the copy a ledger of its own with `muster ledger export`");
        }
        return open(LocalDisk.serving(storage.stateDir(), uid), storage, listener, executor);
    }

    Journal open(Disk disk, Storage storage, LedgerListener listener, Executor executor) throws IOException {
        return read(disk, storage, listener, executor, Duration.ZERO);
    }

    /** Like {@link #open}, for a directory that may be the copy of a ledger on etcd. */
    Journal openCopy(Storage storage, int uid, LedgerListener listener, Executor executor) throws IOException {
        return openCopy(LocalDisk.serving(storage.stateDir(), uid), storage, listener, executor);
    }

    Journal openCopy(Disk disk, Storage storage, LedgerListener listener, Executor executor) throws IOException {
        fresh = Level.ONE; // until the level of the ledger is known, so that an earlier version may take the
        // directory back
        Journal journal = read(disk, storage, listener, executor, LINGER);
        if (lastSeq == 0) {
            state = InventoryState.empty(); // this daemon may begin the ledger
        }
        return journal;
    }

    private Journal read(Disk disk, Storage storage, LedgerListener listener, Executor executor, Duration linger)
            throws IOException {
        JournalSettings settings = new JournalSettings(
                JournalSettings.DEFAULT.segmentBytes(),
                storage.historyAge().toDuration(),
                storage.historySize(),
                clock::isDoubted,
                linger,
                machine);
        long start = machine.nanos();
        try {
            Journal journal = Journal.open(disk, settings, this, listener, executor, clock);
            clock.start(lastTime);
            clock.reached(lastTime);
            readEarlier(disk);
            seconds = (machine.nanos() - start) / 1e9;
            return journal;
        } catch (IllegalArgumentException e) {
            throw new UnreadableException(
                    storage.stateDir() + ": not damaged, but this version does not understand what follows event "
                            + lastSeq + "; was it written by a newer version? " + e.getMessage(),
                    e);
        }
    }

    /** The files are intact, but this program does not understand their contents. */
    static final class UnreadableException extends IOException {
        UnreadableException(String sentence) {
            super(sentence);
        }

        UnreadableException(String sentence, Throwable cause) {
            super(sentence, cause);
        }
    }

    @Override
    public Level fresh() {
        return fresh;
    }

    @Override
    public void begins(Level level) {
        state = InventoryState.empty(level);
    }

    @Override
    public void snapshot(long seq, double timestamp, ObjectNode snapshot) {
        state = StateJson.parse(snapshot);
        recent.forgetUntil(timestamp);
        snapshotTime = timestamp;
        lastTime = timestamp;
        lastSeq = seq;
    }

    @Override
    public void event(JournalRecord record) {
        Entry entry = Entry.parse(record.event());
        state = entry.applyTo(state);
        events++;
        lastTime = entry.timestamp();
        lastSeq = entry.seq();
        lastEvent = record.fingerprint();
        recent.add(entry, () -> line(record, entry));
    }

    /** Reads events that the snapshot contains, as far as followers are to see them. */
    private void readEarlier(Disk disk) {
        try {
            Tail.read(disk, recent.firstSeq(lastSeq + 1) - 1, new Tail.Reader() {
                @Override
                public boolean plain(long seq, double timestamp, String name, byte[] json) {
                    return recent.addEarlier(seq, timestamp, name, () -> json);
                }

                @Override
                public boolean parsed(JournalRecord record) {
                    return recent.addEarlier(record.seq(), record.timestamp(), record.name(), () -> {
                        Entry entry = Entry.parse(record.event());
                        return record.name().equals(DefinitionChanges.Defined.NAME)
                                ? entry.toSummary()
                                : line(record, entry);
                    });
                }
            });
        } catch (IOException | IllegalArgumentException e) { // a start needs none of these events
            log.warn("followers are not sent all events before the last snapshot: {}", e.getMessage());
        }
    }

    private static byte[] line(JournalRecord record, Entry entry) {
        byte[] written = record.submitted();
        return written == null ? entry.toBytes() : written;
    }

    /** The {@linkplain JournalRecord#fingerprint fingerprint} of the last event after the snapshot; 0 if there is none. */
    long lastEvent() {
        return lastEvent;
    }

    WallClock clock() {
        return clock;
    }

    InventoryState state() {
        return state;
    }

    /** The last entries, as far as followers are to see them. */
    RecentEvents recent() {
        return recent;
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
