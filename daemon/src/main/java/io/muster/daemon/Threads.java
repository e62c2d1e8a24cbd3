package io.muster.daemon;

import io.muster.daemon.machine.Machine;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The daemon's threads: {@code core} for peers and state, {@code worker} for snapshots and the log of changes, {@code names}
 * and {@code services} for the names of users, {@code reload} for a configuration or an R that is read again, {@code checks}
 * for long computations, {@code answers} for long answers, {@code metrics} for scrapes, {@code past} for history,
 * {@code network} for connections in HTTP and TLS, {@code handshakes} for those of TLS, {@code api} for requests in HTTP.
 * The journal has its own.
 */
final class Threads implements Workers, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final int PATIENCE_SECONDS = 10;
    private static final int LAST_LINES_SECONDS = 2;

    /** Without this time, Netty ends an event loop before the handlers of the channels that it closes release their buffers. */
    private static final int LAST_EVENTS_MILLIS = 20;

    private final MultiThreadIoEventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, named("core"), EpollIoHandler.newFactory());
    private final EventLoop core = loop.next();
    private final ExecutorService api = Executors.newFixedThreadPool(2, named("api"));
    private final MultiThreadIoEventLoopGroup network =
            new MultiThreadIoEventLoopGroup(1, named("network"), EpollIoHandler.newFactory());
    private final ExecutorService handshakes = Executors.newSingleThreadExecutor(named("handshakes"));
    private final ExecutorService metrics = Executors.newSingleThreadExecutor(named("metrics"));
    private final ExecutorService worker = Executors.newSingleThreadExecutor(named("worker"));
    private final ExecutorService checks = Executors.newSingleThreadExecutor(named("checks"));
    private final ExecutorService past = Executors.newSingleThreadExecutor(named("past"));
    private final ExecutorService names = Executors.newSingleThreadExecutor(named("names"));
    private final ExecutorService services = pool(4, "services");
    private final ExecutorService answers = pool(2, "answers");
    private final ExecutorService reloads = pool(1, "reload");

    /** All threads start now, so that the number of threads does not depend on the load so far. */
    private static ExecutorService pool(int size, String name) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(size, size, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
        pool.prestartAllCoreThreads();
        return pool;
    }

    private static ThreadFactory named(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setUncaughtExceptionHandler(
                    (t, bug) -> log.error("a bug made the thread {} fail", t.getName(), bug));
            thread.setDaemon(true); // the process ends when the main thread ends
            return thread;
        };
    }

    @Override
    public Machine machine() {
        return Machine.REAL;
    }

    MultiThreadIoEventLoopGroup loop() {
        return loop;
    }

    /** Makes the bodies of HTTP responses too. */
    @Override
    public ExecutorService api() {
        return api;
    }

    @Override
    public EventLoop core() {
        return core;
    }

    /** Runs a task on the core thread regularly. */
    void every(long seconds, Runnable task) {
        var unused = core.scheduleWithFixedDelay(task, seconds, seconds, TimeUnit.SECONDS);
    }

    /** Runs a task that may block regularly, on the worker thread. While the task waits for the thread, it is not submitted again. */
    void everyOnWorker(long seconds, Runnable task) {
        AtomicBoolean waiting = new AtomicBoolean();
        every(seconds, () -> {
            if (waiting.compareAndSet(false, true)) {
                worker.execute(() -> {
                    waiting.set(false);
                    task.run();
                });
            }
        });
    }

    /** For connections in TLS and HTTP. The thread begins when it is used first. */
    EventLoop network() {
        return network.next();
    }

    /** For the computations of handshakes, which take milliseconds each, and may be many at once. */
    ExecutorService handshakes() {
        return handshakes;
    }

    /** For metrics, which take milliseconds to render, and whose scrapes must not wait for requests of users. */
    ExecutorService metrics() {
        return metrics;
    }

    @Override
    public ExecutorService worker() {
        return worker;
    }

    @Override
    public ExecutorService checks() {
        return checks;
    }

    @Override
    public ExecutorService past() {
        return past;
    }

    /** For the names of users in files. Every peer whose user is not known yet waits for its name. */
    ExecutorService names() {
        return names;
    }

    /** For questions to a name service, which may hang: each of a few threads may wait for an answer of its own. */
    ExecutorService services() {
        return services;
    }

    @Override
    public ExecutorService answers() {
        return answers;
    }

    @Override
    public ExecutorService reloads() {
        return reloads;
    }

    @Override
    public void close() {
        checks.shutdown();
        answers.shutdown();
        past.shutdown();
        names.shutdown();
        services.shutdownNow();
        reloads.shutdown();
        worker.shutdown();
        api.shutdown();
        metrics.shutdown();
        handshakes.shutdownNow();
        network.shutdownGracefully(
                        LAST_EVENTS_MILLIS, TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS), TimeUnit.MILLISECONDS)
                .awaitUninterruptibly();
        loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
        finish(worker);
    }

    /**
     * Waits for the tasks of the executor, so that the last lines of the log are written. The wait is limited, because the
     * log may not accept lines.
     */
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
