package io.muster.inventory.state;

import io.muster.inventory.axis.Principal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What policies would have done in the past: events of a journal are applied, and at each time when a policy of the daemon would decide, it
 * decides here. A hold that it places stays as long as it counts for the brake; then the absence counts no more.
 */
public final class Rehearsal {
    /** How often the daemon tries again what a brake refuses. */
    public static final double RETRY_SECONDS = 60;

    private final List<Policy> policies;
    private final List<Brake> brakes;
    private final List<Act> acts = new ArrayList<>();
    private final Queue<Act> standing = new ArrayDeque<>();
    /** The policies that were refused when they last had something to do. */
    private final Set<Policy> refused = new HashSet<>();

    private InventoryState state = InventoryState.empty();
    private double next = Double.POSITIVE_INFINITY;

    /**
     * What a policy would have done, or what a brake would have kept it from.
     *
     * @param hosts the hostlist
     * @param refusal the sentence of the brake; "" if the hosts would have been drained
     */
    public record Act(Policy policy, double time, String hosts, int count, String refusal) {}

    public Rehearsal(List<Policy> policies, List<Brake> brakes) {
        this.policies = List.copyOf(policies);
        this.brakes = List.copyOf(brakes);
    }

    /** Continues from a state, because events before it are missing or older than what is of interest. */
    public void continueFrom(InventoryState known, double time) {
        until(time);
        state = known;
        look(time);
    }

    public void happens(Entry entry) {
        until(entry.timestamp());
        state = entry.applyTo(state);
        look(entry.timestamp());
    }

    /** Lets time pass. */
    public void until(double time) {
        while (next <= time) {
            look(next);
        }
    }

    public List<Act> acts() {
        return List.copyOf(acts);
    }

    private void look(double now) {
        double soon = Double.POSITIVE_INFINITY;
        while (end(standing.peek()) <= now) {
            Act over = standing.remove();
            take(new HoldChanges.Undrain(over.hosts, null, HoldChanges.Mode.UPDATE, over.policy.holder()), now);
        }
        for (Policy policy : policies) {
            Policy.Absentees absentees = policy.absentees(state, brakes, now);
            if (!absentees.due().isEmpty()) {
                Decision.Rejection no =
                        take(new Policy.Place(policy, brakes), now).rejection();
                Act act = new Act(
                        policy,
                        now,
                        state.resources().hostsOf(absentees.due()).toString(),
                        absentees.due().size(),
                        no == null ? "" : no.text());
                if (no == null) {
                    standing.add(act);
                    acts.add(act);
                    refused.remove(policy);
                } else if (refused.add(policy)) {
                    acts.add(act);
                }
                soon = no == null ? soon : Math.min(soon, now + RETRY_SECONDS);
            } else {
                refused.remove(policy);
            }
            soon = Math.min(soon, absentees.next());
        }
        next = Math.min(soon, end(standing.peek()));
    }

    private double end(@Nullable Act act) {
        return act == null ? Double.POSITIVE_INFINITY : act.time + act.policy.window(brakes);
    }

    private Decision take(Command command, double now) {
        Decision decision = command.decide(state, now, Principal.DAEMON);
        decision.events().forEach(event -> state = state.apply(event, now, Principal.DAEMON));
        return decision;
    }
}
