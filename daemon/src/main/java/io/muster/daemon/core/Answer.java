package io.muster.daemon.core;

import io.muster.inventory.state.Decision.Rejection;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.List;

/** The result of a command, from which the service package makes the response. */
public sealed interface Answer {
    /**
     * The command was carried out.
     *
     * @param entries the entries that the command wrote, now on disk; empty if nothing had to change
     * @param after the state after these entries
     */
    record Done(List<Entry> entries, InventoryState after) implements Answer {}

    /** The command was refused. */
    record Rejected(Rejection rejection) implements Answer {}

    /**
     * A valid command could not be carried out.
     *
     * @param text one sentence for the user that sent the command
     */
    record Failed(Kind kind, String text) implements Answer {
        public enum Kind {
            /** The disk refuses writes. Trying again helps only after the disk has been repaired. */
            DISK,
            /** Too many changes wait for the disk. Trying again a little later helps. */
            BUSY,
            /** The command needs an entry that is longer than the ledger accepts. Trying again never helps. */
            TOO_LONG
        }
    }
}
