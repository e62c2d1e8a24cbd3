package io.muster.daemon.core;

import io.muster.daemon.machine.TimerExecutor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** A core thread that runs tasks only when the test requests it, and a clock that the test advances. */
public final class HandDriven extends TimerExecutor implements InstantSource {
    private static final long PATIENCE_SECONDS = 120;

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final PriorityQueue<Numbered> timers =
            new PriorityQueue<>(Comparator.comparingLong(Numbered::at).thenComparingLong(Numbered::number));
    private final Instant epoch;
    private volatile long nanos;
    private volatile Duration wrong = Duration.ZERO;
    private long timersMade;

    public HandDriven(Instant epoch) {
        this.epoch = epoch;
    }

    @Override
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
        for (Numbered timer = timers.peek(); timer != null && timer.at() <= until; timer = timers.peek()) {
            timers.remove();
            nanos = Math.max(nanos, timer.at());
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
        Numbered timer = new Numbered(command, nanos + Math.max(0, unit.toNanos(delay)), timersMade++);
        timers.add(timer);
        return timer;
    }

    @Override
    public void shutdown() {}

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

    @Override
    protected void failed(Throwable bug) {
        throw new AssertionError("a timer failed", bug);
    }

    private final class Numbered extends Timer {
        private final long number;

        Numbered(Runnable command, long at, long number) {
            super(command, at);
            this.number = number;
        }

        long number() {
            return number;
        }
    }
}
