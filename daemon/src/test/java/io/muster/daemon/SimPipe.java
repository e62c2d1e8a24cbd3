package io.muster.daemon;

import io.muster.daemon.machine.Simulation;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One direction of a connection: everything arrives in its order, later, and nothing while the way is blocked. */
final class SimPipe {
    /** The time in nanoseconds after which something is sent again that was lost on the way. */
    private static final long AGAIN = 200_000_000;

    private final Simulation simulation;
    private final BooleanSupplier blocked;
    private final LongSupplier delay;
    private final Deque<Runnable> underWay = new ArrayDeque<>();

    private boolean cut;

    SimPipe(Simulation simulation, BooleanSupplier blocked, LongSupplier delay) {
        this.simulation = simulation;
        this.blocked = blocked;
        this.delay = delay;
    }

    /** @param arrival happens on the other side, later */
    void send(Runnable arrival) {
        if (cut) {
            return;
        }
        underWay.add(arrival);
        if (underWay.size() == 1) {
            simulation.after(delay.getAsLong(), this::arrive);
        }
    }

    private void arrive() {
        if (underWay.isEmpty()) {
            return;
        }
        if (blocked.getAsBoolean()) {
            simulation.after(AGAIN, this::arrive);
            return;
        }
        underWay.peek().run();
        underWay.poll();
        if (!underWay.isEmpty()) {
            simulation.after(delay.getAsLong() / 4, this::arrive);
        }
    }

    int size() {
        return underWay.size();
    }

    /** Loses everything that is under way, and everything that is sent from now on. */
    void cut() {
        cut = true;
        underWay.clear();
    }
}
