package io.muster.daemon.core;

import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.List;

/**
 * A listener that is called, on the core thread, when changes have become durable: in the order of the changes, and before
 * the responses to them are sent.
 */
public interface Commits {
    /**
     * Receives entries that became durable together.
     *
     * @param lines each entry as JSON, as it was handed to the ledger; must not be modified
     * @param state the state after the entries
     */
    default void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {}

    /**
     * Called once after the {@link #committed} calls for everything that became durable together. Streams send updates at
     * this moment.
     */
    default void settled() {}
}
