package io.muster.daemon.machine;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeoutException;

/** Threads, waiting, the monotonic clock, and random ids. A simulator has its own machine, on which one thread runs at a time. */
public interface Machine {
    /** The machine on which the process runs. */
    Machine REAL = new RealMachine();

    /** Returns the time of a monotonic clock in nanoseconds. */
    long nanos();

    /** Returns a thread that has not started. */
    Thread thread(String name, Runnable body);

    /** Waits until a thread has ended. An interrupt of the caller is kept for later. */
    void join(Thread thread);

    /** Waits for a time, or until {@link #unpark}; may also return for no reason. */
    void park(long nanos);

    void unpark(Thread thread);

    /** Returns a queue without a limit, from which one thread takes. */
    <T> BlockingQueue<T> queue();

    /**
     * Waits for a result.
     *
     * @throws TimeoutException if there is none after {@code nanos}
     */
    <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException;

    /**
     * Returns an executor with one thread, which ends while there is nothing to do.
     *
     * @param most how many tasks may wait; more are rejected
     */
    ExecutorService worker(String name, int most);

    /** Returns a random id. */
    String newId();
}
