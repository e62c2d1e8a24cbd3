package io.muster.daemon.core;

import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.List;

/** Told of what became durable, in order, before anybody is answered. */
public interface Commits {
    /**
     * @param lines each entry as JSON, as it was handed to the journal; not to be written to
     * @param state after the entries
     */
    default void committed(List<Entry> entries, List<byte[]> lines, InventoryState state) {}

    /** All that became durable together has been told: the moment to pass it on, once for all of it. */
    default void settled() {}
}
