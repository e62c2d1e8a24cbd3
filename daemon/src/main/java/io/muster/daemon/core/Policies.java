package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.Decision;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.Policy;
import io.muster.inventory.state.Rehearsal;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the policies drain hosts, at the daemon that makes the changes, except while the clock is doubted. What a brake refuses is decided
 * anew later, from the state of then.
 */
public final class Policies {
    private static final double RETRY_SECONDS = 1;

    /** How long changes are collected before the policies look at the hosts again. */
    private static final double COLLECT_SECONDS = 0.1;

    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private List<Policy> policies = List.of();
    private @Nullable InventoryState seen;
    private @Nullable ScheduledFuture<?> timer;
    private boolean waits;
    /** Whether the policies will look within the time for which changes are collected. */
    private boolean soon;

    Policies(Inventory inventory, ScheduledExecutorService core) {
        this.inventory = inventory;
        this.core = core;
    }

    public void configure(List<Policy> next) {
        policies = next;
        start();
    }

    void start() {
        seen = null;
        settled();
    }

    /** Looks at the hosts if a change concerns what policies look at. */
    @SuppressWarnings("ReferenceEquality") // a part of the state that an event leaves as it is stays the same object
    void settled() {
        InventoryState now = inventory.state();
        InventoryState before = seen;
        seen = now;
        boolean same = before != null
                && before.liveness() == now.liveness()
                && before.holds() == now.holds()
                && before.membership() == now.membership()
                && before.definition() == now.definition();
        if (!policies.isEmpty() && !same && !soon) {
            arm(COLLECT_SECONDS);
        }
    }

    private void arm(double seconds) {
        ScheduledFuture<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        double wait = Math.min(Rehearsal.RETRY_SECONDS, seconds);
        soon = wait <= COLLECT_SECONDS;
        timer = core.schedule(this::look, (long) Math.ceil(wait * 1e6), TimeUnit.MICROSECONDS);
    }

    private void look() {
        timer = null;
        soon = false;
        if (waits || policies.isEmpty()) {
            return;
        }
        if (inventory.elsewhere() != null) {
            return; // a daemon that begins to make the changes starts this again
        }
        if (inventory.clock().isDoubted()) {
            arm(RETRY_SECONDS);
            return;
        }
        double now = inventory.now();
        double next = Double.POSITIVE_INFINITY;
        for (Policy policy : policies) {
            next = Math.min(
                    next,
                    policy.absentees(inventory.state(), inventory.brakes().inForce(), now)
                                    .next()
                            - now);
            Policy.Place place = new Policy.Place(policy, inventory.brakes().inForce());
            Decision decision = place.decide(inventory.state(), now, Principal.DAEMON);
            if (!decision.events().isEmpty()) {
                submit(place);
                return;
            }
            if (decision.rejection() != null) { // noted without the ledger: nothing is to be written
                inventory.brakes().note(decision.rejection(), Principal.DAEMON);
                next = Math.min(next, Rehearsal.RETRY_SECONDS);
            }
        }
        if (next < Double.POSITIVE_INFINITY) {
            arm(Math.max(0, next));
        }
    }

    /** The other policies look when this one has been answered, because its holds count for their brakes. */
    private void submit(Policy.Place place) {
        waits = true;
        inventory.brakes().submit(place, Principal.DAEMON, answer -> {
            waits = false;
            arm(answer instanceof Answer.Failed ? RETRY_SECONDS : 0);
        });
    }
}
