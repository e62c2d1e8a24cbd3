package io.muster.daemon.machine;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** An executor whose time is that of a test. The methods that the daemon does not use throw an exception. */
public abstract class TimerExecutor extends AbstractExecutorService implements ScheduledExecutorService {
    /** Returns the time of the test in nanoseconds. */
    public abstract long nanos();

    /** Called if the task of a timer fails. */
    protected abstract void failed(Throwable bug);

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
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Runnable> shutdownNow() {
        shutdown();
        return List.of();
    }

    /** A task that is due at a time. */
    protected class Timer extends FutureTask<Void> implements ScheduledFuture<Void> {
        private final long at;

        public Timer(Runnable task, long at) {
            super(() -> {
                task.run();
                return null;
            });
            this.at = at;
        }

        public final long at() {
            return at;
        }

        @Override
        protected void setException(Throwable bug) {
            failed(bug);
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
