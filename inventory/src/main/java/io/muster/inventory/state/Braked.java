package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.idset.Idset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
        Map<String, Idset> placed = new TreeMap<>();
        for (Event event : decision.events()) {
            if (event instanceof HoldChanges.Drained drained) {
                placed.merge(drained.holder(), drained.targets().ranks(), Idset::union);
            } else if (event instanceof PlanChanges.Planned planned) {
                placed.merge(planned.holder(), planned.targets().ranks(), Idset::union);
            }
        }
        for (Map.Entry<String, Idset> each : placed.entrySet()) {
            Decision.Rejection refusal = Brake.refusal(brakes, state, each.getKey(), each.getValue(), now);
            if (refusal != null) {
                return new Decision(List.of(), refusal);
            }
        }
        return decision;
    }
}
