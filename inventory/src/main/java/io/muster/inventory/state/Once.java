package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;

/**
 * A command that has an id: if the user's last changes include this id, the command has been carried out already, and the answer is
 * the same. A refused command is not remembered, because it changed nothing.
 */
public record Once(Command command, ChangeId id) implements Command {
    @Override
    public boolean takesLong() {
        return command.takesLong();
    }

    @Override
    public Decision decide(InventoryState state, double now, Principal by) {
        Decision repeated = state.repetition(id, now, by);
        return repeated == null ? command.decide(state, now, by) : repeated;
    }
}
