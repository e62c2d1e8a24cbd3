package io.muster.inventory.state;

import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.LivenessState;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TargetException;
import java.util.List;
import java.util.Locale;

/**
 * A rule by which the daemon drains hosts that were absent. It concerns only absences that were reported, on hosts without holds, and each
 * of them once: after the end of a hold of the daemon, or an undrain by a person, the absence counts no more.
 *
 * @param after for how many seconds a host is offline or torpid before it is drained; or was absent, if it is drained when it returns
 * @param targets the hosts: ranks, hosts, {@code all} or {@code @PROPERTY}
 */
public record Policy(When when, double after, String targets, String holder, String reason, Purpose purpose) {
    /** When the policy drains a host. */
    public enum When {
        OFFLINE,
        TORPID,
        RETURNED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The hosts with an absence that concerns the policy.
     *
     * @param near all of them: those that are absent, however short, and those that came back within the window of the brake. If these are
     *     too many, the network or a reporter is more likely the cause than the hosts
     * @param due those that the policy drains now
     * @param next when the policy will drain the next one, if nothing changes; infinite if there is none
     */
    public record Absentees(Idset near, Idset due, double next) {}

    /** Returns why the policy would drain nothing or something else than the operator wants; "" if nothing is wrong. */
    public String fault(ResourceSet resources) {
        try {
            return TargetExpression.among(resources, targets).isEmpty() ? "names no host" : "";
        } catch (MalformedException | TargetException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Returns the longest window of the brakes on the policy's holds. */
    double window(List<Brake> brakes) {
        return brakes.stream()
                .filter(brake -> brake.covers(holder))
                .mapToDouble(Brake::window)
                .max()
                .orElse(0);
    }

    /** Returns the absentees of the policy; none if its targets are not known, of which {@link #fault} tells. */
    public Absentees absentees(InventoryState state, List<Brake> brakes, double now) {
        double window = window(brakes);
        Liveness live = state.liveness();
        Idset among =
                fault(state.resources()).isEmpty() ? TargetExpression.among(state.resources(), targets) : Idset.EMPTY;
        among = among.intersect(state.members())
                .subtract(state.holds().held())
                .subtract(live.reports().unknown());
        Idset.Builder near = Idset.builder();
        Idset.Builder due = Idset.builder();
        double[] next = {Double.POSITIVE_INFINITY};
        live.forEachIn(among, (first, last, found) -> {
            boolean here = found.status() == Liveness.Status.ONLINE;
            if (found.absent() > 0 && (!here || now - found.since() < window)) {
                near.addRange(first, last);
                double at = dueAt(found);
                // Who came back is drained soon after that or never: later, the rest of a crowd would look like a few.
                if (at <= now && (!here || now - found.since() < window / 2)) {
                    due.addRange(first, last);
                } else if (at > now) {
                    next[0] = Math.min(next[0], at);
                }
            }
        });
        return new Absentees(near.build(), due.build(), next[0]);
    }

    /** Returns when a host in this state is drained; infinite for never. */
    private double dueAt(LivenessState found) {
        return switch (found.status()) {
            case OFFLINE -> when == When.OFFLINE ? found.since() + after : Double.POSITIVE_INFINITY;
            case TORPID -> when == When.TORPID ? found.since() + after : Double.POSITIVE_INFINITY;
            case ONLINE ->
                when == When.RETURNED && found.since() - found.absent() >= after
                        ? found.since()
                        : Double.POSITIVE_INFINITY;
        };
    }

    /** The command of the daemon that drains the hosts that are due; it is refused if all absentees go beyond a brake. */
    public record Place(Policy policy, List<Brake> brakes) implements Command {
        @Override
        public Decision decide(InventoryState state, double now, Principal by) {
            Absentees absentees = policy.absentees(state, brakes, now);
            if (absentees.due.isEmpty()) {
                return Decision.accept();
            }
            Decision.Rejection refusal = Brake.refusal(brakes, state, policy.holder, absentees.near, now);
            return refusal == null
                    ? new HoldChanges.Drain(
                                    absentees.due.toString(),
                                    policy.reason,
                                    HoldChanges.Mode.UPDATE,
                                    policy.holder,
                                    0,
                                    0,
                                    0,
                                    policy.purpose)
                            .decide(state, now, by)
                    : new Decision(List.of(), refusal);
        }
    }
}
