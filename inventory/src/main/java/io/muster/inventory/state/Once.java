package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A command that has an id: if the user's last changes include this id, the command has been carried out already, and the answer is
 * the same. A refused command is not remembered, because it changed nothing.
 */
public record Once(Command command, ChangeId id) implements Command {
    /**
     * The command of a change that is sent again, when its sender knows that the id is remembered. If the id is forgotten before the
     * command is decided, the command is refused, because the targets of the change may have changed since they were found first.
     *
     * @param holder the holder whose holds the change concerns; null if it concerns the holds of all holders, or none
     */
    public record Repetition(@Nullable String holder) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            return Decision.reject(
                    Decision.Rejection.Kind.FORGOTTEN,
                    "the first request with this id is not remembered any more, so nothing was changed now: look whether the"
                            + " change was made, and if it was not, send the request again");
        }
    }

    @Override
    public boolean takesLong() {
        return command.takesLong();
    }

    @Override
    public Decision decide(InventoryState state, double now, Principal by) {
        Decision repeated = state.repetition(id, by);
        return repeated == null ? command.decide(state, now, by) : repeated;
    }
}
