package io.muster.inventory.state;

import static io.muster.inventory.state.Decision.Rejection.Kind.INVALID;

import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The commands for alerts of a monitoring system, which lead to the same events as a drain and an undrain. Each alert has a
 * hold of its own, so that the end of one alert does not end the hold of another on the same host.
 */
public final class AlertChanges {
    /**
     * A monitoring system repeats an alert while the alert lasts. The hold is extended only by more than this, because each
     * extension is an event.
     */
    private static final double LEAST_SECONDS = 60;

    private AlertChanges() {}

    /** Returns the holder of an alert's hold: {@code alerts:7d5f3c0a9e1b2468}. */
    public static String holder(String family, String fingerprint) {
        return family + ":" + fingerprint;
    }

    /**
     * The command that places the hold of an alert on a host, or extends it.
     *
     * @param family the first part of the holder, which the holds of all alerts have
     * @param until time at which the hold ends by itself
     */
    public record Fire(String host, String family, String fingerprint, String reason, double until) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Idset ranks = state.resources().ranksOf(host);
            if (ranks.isEmpty()) {
                return Decision.reject(INVALID, "there is no host " + host);
            }
            ranks = ranks.subtract(state.membership().absent(ranks));
            if (ranks.isEmpty()) {
                return Decision.accept(); // schedulers are not offered the host in any case
            }
            String holder = holder(family, fingerprint);
            if (state.holds().matching(ranks, holder, this::mustChange).isEmpty()) {
                return Decision.accept();
            }
            boolean fresh =
                    state.holds().matching(ranks, holder, hold -> hold != null).isEmpty();
            HoldChanges.Mode mode = fresh ? HoldChanges.Mode.NONE : HoldChanges.Mode.OVERWRITE;
            return new HoldChanges.Drain(ranks.toString(), reason, mode, holder, until).decide(state, now, by);
        }

        private boolean mustChange(@Nullable Hold hold) {
            return hold == null || !reason.equals(hold.reason()) || until - hold.until() > LEAST_SECONDS;
        }
    }

    /**
     * The command that ends the hold of an alert, whichever host has it. If the hold has ended already, nothing changes.
     *
     * @param family the first part of the holder
     */
    public record Resolve(String family, String fingerprint, String reason) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            String holder = holder(family, fingerprint);
            Idset held = state.holds().matching(state.holds().held(), holder, hold -> hold != null);
            Hostlist departed = Hostlist.of(state.departed().entrySet().stream()
                    .filter(each -> isHeld(each.getValue(), holder))
                    .map(Map.Entry::getKey)
                    .toList());
            return held.isEmpty() && departed.isEmpty()
                    ? Decision.accept()
                    : Decision.accept(new HoldChanges.Undrained(
                            Event.Targets.of(state, held, departed), reason, HoldChanges.Overwrite.NOTHING, holder));
        }

        private static boolean isHeld(Departed departed, String holder) {
            return departed.holds() != null && departed.holds().of(holder) != null;
        }
    }
}
