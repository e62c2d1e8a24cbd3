package io.muster.daemon.core;

import io.muster.inventory.state.InventoryState;

/**
 * The inventory as it is on disk.
 *
 * @param seq the seq of the last entry that led to the state; 0 if there was none
 */
public record Committed(InventoryState state, long seq) {}
