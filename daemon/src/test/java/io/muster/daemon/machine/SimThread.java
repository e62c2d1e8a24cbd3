package io.muster.daemon.machine;

import org.jspecify.annotations.Nullable;

/** A thread of a simulated process. */
final class SimThread extends Thread {
    private final Simulation simulation;
    private final SimMachine machine;
    private final Runnable body;
    private final int number;
    /** Null if this is a thread of the operating system. */
    private final @Nullable Fiber fiber;

    /** The thread for whose end this one waits. */
    @Nullable
    SimThread awaits;

    private boolean permit;
    private boolean parked;
    private boolean ended;
    /** Counts the waits, so that a wake-up that comes too late is ignored. */
    private long waits;

    private long starvedUntil;

    SimThread(Simulation simulation, SimMachine machine, String name, int number, Runnable body) {
        super(name);
        this.simulation = simulation;
        this.machine = machine;
        this.number = number;
        this.body = body;
        this.fiber = Fiber.of(this::live);
        setDaemon(true);
    }

    int number() {
        return number;
    }

    int level() {
        return machine.level();
    }

    boolean hasEnded() {
        return ended;
    }

    @Override
    public synchronized void start() {
        machine.began(this);
        parked = true;
        if (fiber == null) {
            super.start();
        }
        wake(waits, simulation.wait(50));
    }

    @Override
    public void run() {
        simulation.awaitTurn(this);
        live();
        simulation.giveTurn();
    }

    private void live() {
        try {
            machine.check();
            body.run();
        } catch (SimMachine.Killed killed) {
            // as the process
        } catch (RuntimeException | Error bug) {
            simulation.fail(bug);
        } finally {
            ended = true;
            machine.ended(this);
        }
    }

    /** Waits for a permit, for a time. Called on this thread. */
    void park(long nanos) {
        if (permit) {
            permit = false;
            return;
        }
        parked = true;
        waits++;
        if (nanos < Long.MAX_VALUE / 4) {
            wake(waits, nanos);
        }
        leave();
        permit = false;
    }

    void delay(long nanos) {
        machine.park(nanos);
    }

    private void leave() {
        if (fiber != null) {
            Fiber.leave();
        } else {
            simulation.giveTurn();
            simulation.awaitTurn(this);
        }
    }

    /** Runs the thread until it waits or ends. Called on the thread of the test. */
    void enter() {
        if (fiber != null) {
            fiber.enter();
        } else {
            simulation.lendTurn(this);
        }
    }

    void starve(long nanos) {
        starvedUntil = simulation.now() + nanos;
    }

    void unpark() {
        permit = true;
        if (parked) {
            wake(waits, simulation.wait(30));
        }
    }

    private void wake(long wait, long nanos) {
        simulation.after(
                nanos,
                () -> machine.act(() -> {
                    if (parked && waits == wait && !ended && starvedUntil > simulation.now()) {
                        wake(wait, starvedUntil - simulation.now());
                    } else if (parked && waits == wait && !ended) {
                        parked = false;
                        simulation.resume(this);
                    }
                }));
    }
}
