package io.muster.daemon.journal;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** Receives what the state directory holds, oldest first, before the journal opens. */
public interface Replay {
    /**
     * At most once, first.
     *
     * @param seq of the last event that the state contains
     */
    void snapshot(long seq, double timestamp, ObjectNode state);

    /** Every event since, each with the next seq, the events of one command all or none. */
    void event(JournalRecord event);
}
