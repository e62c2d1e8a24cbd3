package io.muster.daemon.machine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The machine of one simulated process. */
public final class SimMachine implements Machine {
    private final Simulation simulation;
    private final String name;
    private final int level;
    private final Set<SimThread> threads = new LinkedHashSet<>();
    private final Set<SimThread> alive = new LinkedHashSet<>();
    private boolean dead;
    private boolean paused;
    private final List<Runnable> delayed = new ArrayList<>();

    public SimMachine(Simulation simulation, String name) {
        this(simulation, name, SimLevel.NEXT);
    }

    /** @param level the newest format level that the program reads */
    public SimMachine(Simulation simulation, String name, int level) {
        this.simulation = simulation;
        this.name = name;
        this.level = level;
    }

    public int level() {
        return level;
    }

    /** Ends a thread of a process that was killed. */
    static final class Killed extends Error {
        Killed() {
            super("killed", null, false, false);
        }
    }

    /** A wait that ends without a stack trace, which would take longer than everything else in the wait. */
    private static final class Late extends TimeoutException {
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    public boolean isDead() {
        return dead;
    }

    /** Ends the process at once, as kill -9 does. Called by an event, not by a thread. */
    public void kill() {
        dead = true;
        delayed.clear();
        for (SimThread thread : List.copyOf(alive)) {
            while (!thread.hasEnded()) {
                simulation.resume(thread);
            }
        }
    }

    /** Stops all threads, as SIGSTOP does, until {@link #proceed}. */
    public void pause() {
        paused = true;
    }

    /** Lets one thread wait for a processor, and returns which. */
    public String starve(long nanos) {
        List<SimThread> all = List.copyOf(alive);
        if (all.isEmpty()) {
            return "no thread";
        }
        SimThread thread = all.get(simulation.choices().nextInt(all.size()));
        thread.starve(nanos);
        return thread.getName();
    }

    public void proceed() {
        paused = false;
        delayed.forEach(task -> simulation.after(simulation.wait(50), task));
        delayed.clear();
    }

    /** Runs an action of this process: later if the process is stopped, never if it is dead. */
    void act(Runnable action) {
        if (paused && !dead) {
            delayed.add(action);
        } else if (!dead) {
            action.run();
        }
    }

    void check() {
        if (dead) {
            throw new Killed();
        }
    }

    void began(SimThread thread) {
        alive.add(thread);
    }

    void ended(SimThread thread) {
        alive.remove(thread);
        for (SimThread other : alive) {
            if (other.awaits == thread) {
                other.unpark();
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public long nanos() {
        if (simulation.running() != null) {
            check();
        }
        return simulation.now();
    }

    @Override
    public Thread thread(String thread, Runnable body) {
        SimThread made = new SimThread(simulation, this, name + " " + thread, threads.size(), body);
        threads.add(made);
        return made;
    }

    @Override
    public void join(Thread thread) {
        SimThread self = simulation.current();
        SimThread other = (SimThread) thread;
        while (alive.contains(other)) {
            self.awaits = other;
            waitFor(Long.MAX_VALUE);
        }
        self.awaits = null;
    }

    @Override
    public void park(long nanos) {
        waitFor(nanos + simulation.wait(20));
    }

    private void waitFor(long nanos) {
        check();
        simulation.current().park(nanos);
        check();
    }

    @Override
    public void unpark(Thread thread) {
        ((SimThread) thread).unpark();
    }

    @Override
    public <T> BlockingQueue<T> queue() {
        return new SimQueue<>();
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        SimThread self = simulation.current();
        long end = end(nanos);
        if (!future.isDone()) {
            var unused = future.whenComplete((result, error) -> self.unpark());
        }
        while (!future.isDone()) {
            if (simulation.now() >= end) {
                throw new Late();
            }
            waitFor(end - simulation.now());
        }
        return future.get();
    }

    private long end(long nanos) {
        return nanos > Long.MAX_VALUE / 8 ? Long.MAX_VALUE / 2 : simulation.now() + nanos;
    }

    @Override
    public SimExecutor worker(String worker, int most) {
        return new SimExecutor(simulation, this, worker, most);
    }

    @Override
    public String newId() {
        check();
        return new UUID(simulation.choices().nextLong(), simulation.choices().nextLong()).toString();
    }

    /** A queue from which one thread takes. */
    private final class SimQueue<T> extends LinkedBlockingQueue<T> {
        private transient @Nullable SimThread taker;

        @Override
        public boolean offer(T item) {
            boolean added = super.offer(item);
            SimThread waiting = taker;
            if (waiting != null) {
                waiting.unpark();
            }
            return added;
        }

        @Override
        public T take() {
            T taken = poll(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            if (taken == null) {
                throw new IllegalStateException("the end of time");
            }
            return taken;
        }

        @Override
        public @Nullable T poll(long timeout, TimeUnit unit) {
            check();
            long end = end(unit.toNanos(timeout));
            T item = poll();
            while (item == null && simulation.now() < end) {
                taker = simulation.current();
                waitFor(end - simulation.now());
                taker = null;
                item = poll();
            }
            return item;
        }

        @Override
        public int drainTo(Collection<? super T> into) {
            check();
            return super.drainTo(into);
        }
    }
}
