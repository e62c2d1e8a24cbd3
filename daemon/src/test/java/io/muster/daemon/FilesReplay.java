package io.muster.daemon;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.journal.Journal;
import io.muster.daemon.journal.JournalRecord;
import io.muster.daemon.journal.JournalSettings;
import io.muster.daemon.journal.Replay;
import io.muster.daemon.journal.disk.Disk;
import io.muster.daemon.ledger.LedgerListener;
import io.muster.daemon.machine.Machine;
import io.muster.inventory.level.Level;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** What a start reads from a ledger of files, for the witness. */
final class FilesReplay implements Replay {
    private final List<Entry> entries = new ArrayList<>();
    private InventoryState state = InventoryState.empty();
    private Level level = Level.ONE;
    private long seq;

    static FilesReplay of(Disk disk, Machine machine, InstantSource clock) throws IOException {
        FilesReplay replay = new FilesReplay();
        try (Journal journal = Journal.open(
                disk, JournalSettings.DEFAULT.on(machine), replay, new LedgerListener() {}, Runnable::run, clock)) {
            replay.seq = journal.durableSeq();
        }
        return replay;
    }

    List<Entry> entries() {
        return entries;
    }

    void tell(SimWitness witness) {
        witness.recovered(level, entries, state, seq);
    }

    @Override
    public void begins(Level level) {
        this.level = level;
        state = InventoryState.empty(level);
    }

    @Override
    public void snapshot(long last, double timestamp, ObjectNode snapshot) {
        state = StateJson.parse(snapshot);
    }

    @Override
    public void event(JournalRecord record) {
        Entry entry = Entry.parse(record.event());
        state = entry.applyTo(state);
        entries.add(entry);
    }
}
