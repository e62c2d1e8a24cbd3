package io.muster.daemon.core;

import io.muster.daemon.ledger.Ledger;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.json.PortableJson;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.state.ChangeId;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that has been decided, with everything that is needed to carry it out. Any thread may prepare a command.
 *
 * @param entries empty if the command changes nothing or is rejected
 * @param lines the entries as they are written
 * @param refusal why the ledger does not accept a line; null if it accepts all of them
 */
record Prepared(
        Decision decision,
        List<Entry> entries,
        List<byte[]> lines,
        InventoryState after,
        @Nullable String refusal) {
    private static final int MOST_CHECKED = 1 << 20;

    /** @param seq the sequence number of the last entry before */
    static Prepared of(Ledger ledger, InventoryState from, long seq, Command command, double now, Principal by) {
        Decision decision = command.decide(from, now, by);
        List<Event> events = decision.events();
        ChangeId id = command.id();
        List<Entry> entries = new ArrayList<>(events.size());
        List<byte[]> lines = new ArrayList<>(events.size());
        InventoryState after = from;
        String refusal = null;
        for (Event event : events) {
            boolean last = entries.size() + 1 == events.size();
            Entry entry = new Entry(seq + entries.size() + 1, now, by, event, last ? id : null);
            after = entry.applyTo(after);
            entries.add(entry);
            byte[] line = entry.toBytes();
            String fault = ledger.refusal(line);
            fault = fault == null ? unreadable(line) : fault;
            refusal = refusal == null && fault != null ? event.name() + " " + fault : refusal;
            lines.add(line);
        }
        return new Prepared(decision, entries, lines, after, refusal);
    }

    /**
     * Returns why a start would not read an event, as the rest of a sentence. A line of plain characters needs no parsing, and a longer one
     * has R, which was checked when it was read.
     */
    private static @Nullable String unreadable(byte[] line) {
        if (line.length > MOST_CHECKED || PortableJson.isPlain(line, 0, line.length)) {
            return null;
        }
        try {
            StrictJson.stored(line);
            return null;
        } catch (IOException e) {
            return "cannot be written: " + e.getMessage();
        }
    }

    long bytes() {
        return lines.stream().mapToLong(line -> line.length).sum();
    }
}
