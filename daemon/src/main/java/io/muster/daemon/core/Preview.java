package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.InventoryState;

/** The decision on a command that is not carried out, and the states before and after it. */
public record Preview(Decision decision, InventoryState before, InventoryState after) {
    static Preview of(Command command, InventoryState from, double now, Principal by) {
        Decision decision = command.decide(from, now, by);
        InventoryState after = from;
        for (Event event : decision.events()) {
            after = after.apply(event, now, by);
        }
        return new Preview(decision, from, after);
    }
}
