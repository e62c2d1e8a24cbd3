package io.muster.daemon.core;

import io.muster.inventory.state.InventoryState;

/**
 * The inventory as it is on disk: the state after the last durable entry.
 *
 * @param seq the seq of the last entry that led to the state; 0 if there was none
 */
public record Committed(InventoryState state, long seq) {}
