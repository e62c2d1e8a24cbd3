package io.muster.daemon.machine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor with one simulated thread. */
public final class SimExecutor extends AbstractExecutorService implements ScheduledExecutorService {
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
    public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable task, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
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
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
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

    private final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long at;

        Timer(Runnable task, long at) {
            super(() -> {
                task.run();
                return null;
            });
            this.at = at;
        }

        @Override
        protected void setException(Throwable bug) {
            if (!(bug instanceof SimMachine.Killed)) {
                simulation.fail(bug);
            }
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - simulation.now(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
