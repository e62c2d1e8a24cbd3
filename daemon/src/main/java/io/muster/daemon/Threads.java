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
 * The daemon's threads: {@code core} for peers and state, {@code worker} for what may block, {@code reload} for a configuration or an R
 * that is read again, {@code checks} for what takes long. The journal has its own.
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
            thread.setDaemon(true); // only the main thread decides whether there is still a daemon
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

    /** For what only computes, however long: apart from the worker, which a disk or a directory service may hold up. */
    ExecutorService checks() {
        return checks;
    }

    /** For what reads much or waits for the disk, and must not keep peers waiting whose names the worker looks up. */
    ExecutorService reloads() {
        return reloads;
    }

    /** Runs something on the core thread and waits for it. */
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

    /** The log's last lines are still to be written; a directory service that does not answer keeps nobody. */
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
