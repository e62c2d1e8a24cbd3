package io.muster.daemon.core;

import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.List;

/** Listens to changes that became durable. Called in order, before any of these changes is answered. */
public interface Commits {
    /**
     * Receives entries that became durable together.
     *
     * @param lines each entry as JSON, as it was handed to the ledger; must not be modified
     * @param state the state after the entries
     */
    default void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {}

    /**
     * Called once after a series of {@link #committed} calls for everything that became durable together: the time to pass the changes on.
     */
    default void settled() {}
}
