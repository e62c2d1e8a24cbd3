package io.muster.daemon;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The daemon's threads: {@code core} for connections and state, {@code worker} for tasks that may block, {@code reload} for reading a
 * configuration or an R again, {@code checks} for long computations. The journal has its own thread.
 */
final class Threads implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 10;
    private static final int LAST_LINES_SECONDS = 2;

    private final MultiThreadIoEventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, named("core"), EpollIoHandler.newFactory());
    private final EventLoop core = loop.next();
    private final ExecutorService worker = Executors.newSingleThreadExecutor(named("worker"));
    private final ExecutorService checks = Executors.newSingleThreadExecutor(named("checks"));
    private final ExecutorService reloads = Executors.newSingleThreadExecutor(named("reload"));

    private static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true); // only the main thread decides whether the process goes on
            return thread;
        };
    }

    MultiThreadIoEventLoopGroup loop() {
        return loop;
    }

    EventLoop core() {
        return core;
    }

    ExecutorService worker() {
        return worker;
    }

    /** Runs tasks that only compute, for however long. They do not run on the worker, which a disk or a directory service may block. */
    ExecutorService checks() {
        return checks;
    }

    /**
     * Runs tasks that read much or wait for the disk. They do not run on the worker, because connections wait there for names to be looked
     * up.
     */
    ExecutorService reloads() {
        return reloads;
    }

    /** Runs a task on the core thread and waits for its result. */
    <T> T onCore(Callable<T> task) throws Exception {
        try {
            return core.submit(task).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        checks.shutdown();
        reloads.shutdown();
        worker.shutdown();
        loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        finish(worker);
    }

    /** Waits for the last lines of the log, but not long for a directory service that does not answer. */
    private static void finish(ExecutorService executor) {
        try {
            if (!executor.awaitTermination(LAST_LINES_SECONDS, TimeUnit.SECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
