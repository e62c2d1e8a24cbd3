package io.muster.daemon.core;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A core thread that runs tasks only when the test requests it, and a clock that the test advances. */
public final class HandDriven extends AbstractExecutorService implements ScheduledExecutorService, InstantSource {
    private static final long PATIENCE_SECONDS = 120;

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final PriorityQueue<Timer> timers =
            new PriorityQueue<>(Comparator.comparingLong(Timer::at).thenComparingLong(Timer::number));
    private final Instant epoch;
    private volatile long nanos;
    private volatile Duration wrong = Duration.ZERO;
    private long timersMade;

    public HandDriven(Instant epoch) {
        this.epoch = epoch;
    }

    public long nanos() {
        return nanos;
    }

    @Override
    public Instant instant() {
        return epoch.plusNanos(nanos).plus(wrong);
    }

    /** Sets the wall clock forward or back; elapsed time is not affected. */
    public void jump(Duration by) {
        wrong = wrong.plus(by);
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /** Runs all waiting tasks, and the tasks that these tasks submit. */
    public void runReady() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /** Waits until another thread submits a task, and runs it. */
    public void runNext() {
        Runnable task;
        try {
            task = tasks.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        if (task == null) {
            throw new AssertionError("nothing came to the core thread");
        }
        task.run();
    }

    /** @param settle called after each timer */
    public void advance(Duration time, Runnable settle) {
        long until = nanos + time.toNanos();
        settle.run();
        for (Timer timer = timers.peek(); timer != null && timer.at <= until; timer = timers.peek()) {
            timers.remove();
            nanos = Math.max(nanos, timer.at);
            timer.run();
            settle.run();
        }
        nanos = until;
        settle.run();
    }

    /** Returns the number of timers that are set and not cancelled. */
    public int timers() {
        timers.removeIf(FutureTask::isCancelled);
        return timers.size();
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        Timer timer = new Timer(command, nanos + Math.max(0, unit.toNanos(delay)), timersMade++);
        timers.add(timer);
        return timer;
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable command, long initial, long period, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable command, long initial, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return true;
    }

    private final class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long at;
        private final long number;

        Timer(Runnable command, long at, long number) {
            super(() -> {
                command.run();
                return null;
            });
            this.at = at;
            this.number = number;
        }

        long at() {
            return at;
        }

        long number() {
            return number;
        }

        @Override
        protected void setException(Throwable bug) {
            throw new AssertionError("a timer failed", bug);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
