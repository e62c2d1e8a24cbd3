package io.muster.daemon.machine;

import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs events and threads one at a time, in virtual time. The seed decides the order of what happens at the same time, and all delays, so
 * two runs with one seed are equal. All methods are called on the thread of the test or on the simulated thread that runs.
 */
public final class Simulation {
    private static final int SPINS = 5_000;
    private static final int SLICE = 20_000_000;
    private static final int LUCK = 1000;
    private static final long PRIME = 1_099_511_628_211L;

    private final Thread driver = Thread.currentThread();
    private final SimEvents events = new SimEvents();
    private final SplittableRandom order;
    private final SplittableRandom choices;
    private volatile Thread turn = driver;
    private @Nullable SimThread running;
    private @Nullable Throwable failure;
    private long now = 1_000_000_000;
    private long hash = 0xcbf29ce484222325L;
    private long steps;
    private @Nullable Consumer<String> reader;

    public Simulation(long seed) {
        SplittableRandom root = new SplittableRandom(seed);
        order = root.split();
        choices = root.split();
    }

    /** Returns the virtual time in nanoseconds. */
    public long now() {
        return now;
    }

    /** Returns the source of all choices of the world: faults, delays of links, what clients do. */
    public SplittableRandom choices() {
        return choices;
    }

    /** Returns a digest of everything that has happened. */
    public long hash() {
        return hash;
    }

    /** Returns how many events have happened. */
    public long steps() {
        return steps;
    }

    /** Adds a fact to the digest. */
    public void trace(long fact) {
        hash = (hash ^ fact) * PRIME;
    }

    /** @param lines receives a line for each {@link #note}; null if nobody reads the lines */
    public void notes(@Nullable Consumer<String> lines) {
        reader = lines;
    }

    /**
     * Says for people what happens now.
     *
     * @param line called only if somebody reads the lines; may return ""
     */
    public void note(Supplier<String> line) {
        String text = reader == null ? "" : line.get();
        if (reader != null && !text.isEmpty()) {
            reader.accept(String.format(Locale.ROOT, "%11.6f %s", now / 1e9, text));
        }
    }

    /** Has something happen after a delay. */
    public void after(long nanos, Runnable action) {
        long at = now + Math.max(0, nanos);
        events.add(at < now ? Long.MAX_VALUE : at, order.nextInt(), action);
    }

    /** Ends the run with this failure. */
    public void fail(Throwable bug) {
        if (failure == null) {
            failure = bug;
        }
    }

    /**
     * Lets everything happen until a time.
     *
     * @throws AssertionError if a thread or an event has failed
     */
    public void runUntil(long time) {
        while (failure == null && events.next() <= time) {
            now = events.next();
            Runnable action = events.remove();
            steps++;
            trace(now);
            action.run();
        }
        now = Math.max(now, time);
        if (failure != null) {
            throw new AssertionError("at " + now + ": " + failure, failure);
        }
    }

    /** A delay as of a thread that waits for a processor: mostly microseconds, sometimes a slice of other threads. */
    long wait(int mostMicros) {
        return order.nextInt(order.nextInt(LUCK) == 0 ? SLICE : mostMicros * 1000);
    }

    @Nullable
    SimThread running() {
        return running;
    }

    SimThread current() {
        SimThread thread = running;
        if (thread == null) {
            throw new IllegalStateException("only simulated threads may wait");
        }
        return thread;
    }

    /** Delays the thread that runs, as a slow device does. */
    public void delay(long nanos) {
        current().delay(nanos);
    }

    /** Lets a thread run until it waits or ends. */
    void resume(SimThread thread) {
        if (running != null) {
            throw new IllegalStateException("two threads would run");
        }
        running = thread;
        trace(thread.number());
        SimLevel.run(thread.level());
        thread.enter();
        SimLevel.run(SimLevel.NEXT);
        running = null;
    }

    /** Lets a thread of the operating system run until it gives the turn back. */
    void lendTurn(Thread thread) {
        turn = thread;
        LockSupport.unpark(thread);
        awaitTurn(driver);
    }

    void giveTurn() {
        turn = driver;
        LockSupport.unpark(driver);
    }

    void awaitTurn(Thread self) {
        for (int i = 0; turn != self; i++) {
            if (i < SPINS) {
                Thread.onSpinWait();
            } else {
                LockSupport.park(this);
            }
        }
    }
}
