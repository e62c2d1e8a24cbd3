package io.muster.daemon.core;

import io.muster.inventory.axis.Departed;
import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Purpose;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.PlanChanges;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Ends holds when their end has come, and begins planned holds, except while the clock is doubted. */
public final class Expiry implements Commits {
    /** The longest wait before the deadlines are checked again, in case the clock jumps. */
    private static final double AT_MOST_SECONDS = 60;

    private static final double RETRY_SECONDS = 1;

    private final Inventory inventory;
    private final ScheduledExecutorService core;
    private final IntConsumer expired;
    private Authors authors = Authors.ALL;
    private Function<Purpose, @Nullable String> fault = purpose -> null;
    /** The departed hosts of which {@link #ofDeparted} is known. */
    private @Nullable Map<String, Departed> departed;

    /** When the next planned hold on a departed host would begin; 0 if there is none. */
    private double ofDeparted;

    private final Policies policies;
    private @Nullable ScheduledFuture<?> timer;
    private double armedFor;
    private boolean doubted;

    /** Knows which users may hold hosts. */
    public interface Authors {
        /** Any author of a planned hold may place it. */
        Authors ALL = (plans, then) -> then.accept(Map.of());

        /**
         * Finds the planned holds whose author may not place them any more.
         *
         * @param then receives, on the core thread, a sentence for each of these; null if it cannot be found out now
         */
        void check(Set<Hold> plans, Consumer<@Nullable Map<Hold, String>> then);
    }

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

    /** Sets who is asked about the authors of planned holds. */
    public void ask(Authors about) {
        authors = about;
    }

    /** @param next returns which check or action of a planned hold is not configured any more, or null */
    public void configure(Function<Purpose, @Nullable String> next) {
        fault = next;
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
        if (next() != armedFor) {
            arm(0);
        }
    }

    /** Returns the next time at which a hold ends or begins; 0 if there is none. */
    @SuppressWarnings("ReferenceEquality") // comparing the departed hosts takes as long as looking at their plans
    private double next() {
        InventoryState state = inventory.state();
        if (state.departed() != departed) {
            departed = state.departed();
            ofDeparted = PlanChanges.nextOfDeparted(state);
        }
        double next = earlier(state.holds().nextDeadline(), state.plans().nextDeadline());
        return earlier(next, ofDeparted);
    }

    private static double earlier(double one, double other) {
        return one == 0 || other == 0 ? Math.max(one, other) : Math.min(one, other);
    }

    private void arm(double atLeast) {
        ScheduledFuture<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        armedFor = next();
        if (armedFor > 0) {
            double wait = Math.min(AT_MOST_SECONDS, Math.max(atLeast, armedFor - inventory.now()));
            timer = core.schedule(this::wake, (long) Math.ceil(wait * 1e6), TimeUnit.MICROSECONDS);
        }
    }

    private void wake() {
        if (inventory.clock().isDoubted()) {
            arm(RETRY_SECONDS);
            return;
        }
        double now = inventory.now();
        Set<Hold> due = inventory.state().plans().due(now).keySet();
        if (due.isEmpty()) {
            meet(now, Map.of());
            return;
        }
        authors.check(due, objections -> {
            if (objections == null) {
                arm(RETRY_SECONDS);
            } else {
                meet(now, objections);
            }
        });
    }

    private void meet(double last, Map<Hold, String> objections) {
        Function<Purpose, @Nullable String> configured = fault;
        Function<Hold, @Nullable String> objection = plan -> {
            String author = objections.get(plan);
            return author == null ? configured.apply(plan.purpose()) : author;
        };
        inventory.submitAside(state -> new PlanChanges.MeetDeadlines(last, objection), Principal.DAEMON, answer -> {
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
