package io.muster.daemon.machine;

import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The machine on which the process runs. */
final class RealMachine implements Machine {
    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public Thread thread(String name, Runnable body) {
        return new Thread(body, name);
    }

    @Override
    public void join(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void park(long nanos) {
        LockSupport.parkNanos(nanos);
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public <T> BlockingQueue<T> queue() {
        return new LinkedBlockingQueue<>();
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public ExecutorService worker(String name, int most) {
        ThreadPoolExecutor worker =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(most), task -> {
                    Thread thread = new Thread(task, name);
                    thread.setDaemon(true);
                    return thread;
                });
        worker.allowCoreThreadTimeOut(true);
        return worker;
    }

    @Override
    public String newId() {
        return UUID.randomUUID().toString();
    }
}
