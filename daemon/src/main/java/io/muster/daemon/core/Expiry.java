package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.PlanChanges;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Ends holds when they expire, except while the clock is doubted. */
public final class Expiry implements Commits {
    /** The longest wait before the deadlines are checked again, in case the clock jumps. */
    private static final double AT_MOST_SECONDS = 60;

    private static final double RETRY_SECONDS = 1;

    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private final IntConsumer expired;
    private final Policies policies;
    private @Nullable ScheduledFuture<?> timer;
    private double armedFor;
    private boolean doubted;

    /** @param expired receives the number of holds that were ended */
    public Expiry(Inventory inventory, ScheduledExecutorService core, IntConsumer expired) {
        this.inventory = inventory;
        this.core = core;
        this.expired = expired;
        this.policies = new Policies(inventory, core);
    }

    public Policies policies() {
        return policies;
    }

    /** Starts the timer. Holds that expired while the daemon was down are ended at once. */
    public void start() {
        arm(0);
        policies.start();
    }

    /** Must be called every second: holds that are over end soon after the doubt about the clock has ended. */
    public void lookAtClock() {
        boolean before = doubted;
        doubted = inventory.clock().isDoubted();
        if (before && !doubted && armedFor > 0) {
            arm(0);
        }
    }

    @Override
    public void settled() {
        policies.settled();
        if (inventory.state().holds().nextDeadline() != armedFor) {
            arm(0);
        }
    }

    private void arm(double atLeast) {
        ScheduledFuture<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        armedFor = inventory.state().holds().nextDeadline();
        if (armedFor > 0) {
            double wait = Math.min(AT_MOST_SECONDS, Math.max(atLeast, armedFor - inventory.now()));
            timer = core.schedule(this::lift, (long) Math.ceil(wait * 1e6), TimeUnit.MICROSECONDS);
        }
    }

    private void lift() {
        if (inventory.clock().isDoubted()) {
            arm(RETRY_SECONDS);
            return;
        }
        inventory.submitAside(state -> new PlanChanges.MeetDeadlines(), Principal.DAEMON, answer -> {
            if (answer instanceof Answer.Done done) {
                done.entries().forEach(entry -> expired.accept(holds(entry.event())));
            }
            arm(answer instanceof Answer.Failed ? RETRY_SECONDS : 0);
        });
    }

    private static int holds(Event event) {
        return event instanceof HoldChanges.Undrained undrain
                ? undrain.targets().ranks().size()
                : 0;
    }
}
