package io.muster.daemon;

import io.muster.daemon.etcd.LogReader;
import io.muster.daemon.journal.JournalRecord;
import io.muster.inventory.axis.HoldSet;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The log of the ledger, as it is committed: it decides what happened. Checks each transaction: that it continues the log, that terms do not
 * mix, that time does not go back, that no change is made twice, and that no hold ends early.
 */
final class SimWitness {
    private final LogReader reader = new LogReader();
    private final Map<UUID, Long> changes = new HashMap<>();
    private InventoryState state = InventoryState.empty();
    /** The state after each event. */
    private final List<InventoryState> states = new ArrayList<>(List.of(state));

    private String lastTxn = "";
    private long lastTerm;
    private long lastSeq;
    private double lastTime;

    /** @param leader the term of the daemon that leads; 0 if none does */
    void put(String key, byte[] value, long leader) {
        LogReader.Group group = reader.committed(key, value);
        if (group == null) {
            return;
        }
        require(group.first() == lastSeq + 1, "the log continues at " + group.first() + " after " + lastSeq);
        require(group.previous().equals(lastTxn), "the log continues " + group.previous() + ", not " + lastTxn);
        require(group.term() == leader, "term " + group.term() + " writes in term " + leader);
        require(group.term() >= lastTerm, "term " + group.term() + " writes after term " + lastTerm);
        lastTxn = group.txn();
        lastTerm = group.term();
        group.records().forEach(this::add);
        require(lastSeq == group.last(), "the group ends with " + group.last() + ", not " + lastSeq);
    }

    private void add(JournalRecord record) {
        Entry entry = Entry.parse(record.event());
        lastSeq++;
        require(entry.seq() == lastSeq, "event " + entry.seq() + " is in the place of " + lastSeq);
        require(entry.timestamp() >= lastTime, "time goes back from " + lastTime + " to " + entry.timestamp());
        lastTime = entry.timestamp();
        if (entry.id() != null) {
            Long before = changes.put(entry.id().id(), lastSeq);
            require(before == null, "change " + entry.id().id() + " is made twice, at " + before + " and " + lastSeq);
        }
        if (entry.event() instanceof HoldChanges.Undrained end && entry.by().uid() == -1) {
            end.targets().ranks().forEach(rank -> {
                HoldSet holds = state.holds().on(rank);
                require(
                        holds != null
                                && holds.holds().stream()
                                        .anyMatch(hold -> hold.until() > 0 && hold.until() <= entry.timestamp()),
                        "a hold on rank " + rank + " ends early, at seq " + lastSeq);
            });
        }
        state = entry.applyTo(state);
        states.add(state);
    }

    static void require(boolean condition, String fault) {
        if (!condition) {
            throw new AssertionError(fault);
        }
    }

    long lastSeq() {
        return lastSeq;
    }

    InventoryState state() {
        return state;
    }

    InventoryState at(long seq) {
        return states.get(Math.toIntExact(seq));
    }

    /** Returns the seq of a change; 0 if the log does not have it. */
    long seqOf(UUID change) {
        return changes.getOrDefault(change, 0L);
    }
}
