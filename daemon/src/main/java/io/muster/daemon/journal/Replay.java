package io.muster.daemon.journal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.level.Level;

/**
 * Receives the contents of the state directory, oldest first, before the journal opens. The daemon implements it to restore
 * the inventory.
 */
public interface Replay {
    /** Returns the level in which an empty state directory begins. */
    default Level fresh() {
        return Level.NEWEST;
    }

    /** Receives the level in which the first event is written, if there is no snapshot. */
    default void begins(Level level) {}

    /**
     * Receives the snapshot. Called at most once, before any event.
     *
     * @param seq the seq of the last event that the state contains
     */
    void snapshot(long seq, double timestamp, ObjectNode state);

    /** Receives each event after the snapshot, in order of seq. The events of one command are delivered all or not at all. */
    void event(JournalRecord event);
}
