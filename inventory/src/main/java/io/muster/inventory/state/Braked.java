package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command of a program: it is refused as a whole if the holds that it would place go beyond a brake. */
public record Braked(Command command, List<Brake> brakes) implements Command {
    public Braked {
        brakes = List.copyOf(brakes);
    }

    @Override
    public boolean takesLong() {
        return command.takesLong();
    }

    @Override
    public @Nullable ChangeId id() {
        return command.id();
    }

    @Override
    public Decision decide(InventoryState state, double now, Principal by) {
        Decision decision = command.decide(state, now, by);
        InventoryState after = state;
        for (Event event : decision.events()) {
            after = event.applyTo(after, now, by);
        }
        Decision.Rejection refusal = Brake.refusal(brakes, state, after, now);
        return refusal == null ? decision : new Decision(List.of(), refusal);
    }
}
