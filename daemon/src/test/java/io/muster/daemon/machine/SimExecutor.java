package io.muster.daemon.machine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor with one simulated thread. */
public final class SimExecutor extends TimerExecutor {
    private final Simulation simulation;
    private final SimMachine machine;
    private final int most;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final SimThread thread;
    private boolean started;
    private boolean idle;
    private boolean shut;

    SimExecutor(Simulation simulation, SimMachine machine, String name, int most) {
        this.simulation = simulation;
        this.machine = machine;
        this.most = most;
        this.thread = (SimThread) machine.thread(name, this::run);
    }

    private void run() {
        while (true) {
            Runnable task = tasks.poll();
            if (task != null) {
                task.run();
            } else if (shut) {
                return;
            } else {
                idle = true;
                machine.park(Long.MAX_VALUE / 2);
                idle = false;
            }
            machine.check();
        }
    }

    @Override
    public void execute(Runnable task) {
        if (machine.isDead()) {
            return;
        }
        if (shut || tasks.size() > most) {
            throw new RejectedExecutionException();
        }
        tasks.add(task);
        if (!started) {
            started = true;
            thread.start();
        } else if (idle) {
            thread.unpark();
        }
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        Timer timer = new Timer(task, simulation.now() + unit.toNanos(delay));
        simulation.after(
                unit.toNanos(delay),
                () -> machine.act(() -> {
                    if (!timer.isCancelled() && !shut) {
                        execute(timer);
                    }
                }));
        return timer;
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable task, long initial, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    task.run();
                    var unused = scheduleWithFixedDelay(task, delay, delay, unit);
                },
                initial,
                unit);
    }

    @Override
    public void shutdown() {
        shut = true;
        if (idle) {
            thread.unpark();
        }
    }

    @Override
    public boolean isShutdown() {
        return shut;
    }

    @Override
    public boolean isTerminated() {
        return shut && (!started || thread.hasEnded());
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        long end = simulation.now() + unit.toNanos(timeout);
        while (!isTerminated() && simulation.now() < end) {
            machine.park(Math.min(end - simulation.now(), TimeUnit.MILLISECONDS.toNanos(20)));
        }
        return isTerminated();
    }

    @Override
    public long nanos() {
        return simulation.now();
    }

    @Override
    protected void failed(Throwable bug) {
        if (!(bug instanceof SimMachine.Killed)) {
            simulation.fail(bug);
        }
    }
}
