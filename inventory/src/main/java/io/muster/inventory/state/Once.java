package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;

/**
 * A command that has an id: if the user's last changes include this id, the command has been carried out already, and the answer is
 * the same. A refused command is not remembered, because it changed nothing.
 */
public record Once(Command command, ChangeId id) implements Command {
    @Override
    public Decision decide(InventoryState state, double now, Principal by) {
        ChangeIds.Given given = state.ids().find(id.id(), by, now);
        if (given == null) {
            return command.decide(state, now, by);
        }
        return given.id().request().equals(id.request())
                ? Decision.accept()
                : Decision.reject(
                        Decision.Rejection.Kind.INVALID,
                        "id " + id.id() + " belongs to another change already, seq " + given.seq()
                                + ": give each change an id of its own");
    }
}
