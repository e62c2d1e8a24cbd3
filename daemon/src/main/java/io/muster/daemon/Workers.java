package io.muster.daemon;

import io.muster.daemon.core.Aside;
import io.muster.daemon.machine.Machine;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;

/** The threads of the parts behind the sockets. */
interface Workers {
    Machine machine();

    /** For the state. */
    ScheduledExecutorService core();

    /** For snapshots, which the disk may delay for long. */
    Executor worker();

    /** For long answers to queries. Two threads, so that one kind of answer that takes long does not hold up all others. */
    Executor answers();

    /** For tasks that read much or wait for the disk, and must not delay snapshots. */
    Executor reloads();

    /** For documents, which may take long to make. */
    Executor api();

    /** For history, which is read from the disk for any length of time. */
    Executor past();

    /** For computations of any length: separate from the worker, which a disk may block. */
    Executor checks();

    /** @param executor one of these */
    default Aside beside(Executor executor) {
        return new Aside(core(), executor);
    }

    /** Runs a task on the core thread and waits for its result. */
    default <T> T onCore(Callable<T> task) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        core().execute(() -> {
            try {
                done.complete(task.call());
            } catch (Exception | Error e) {
                done.completeExceptionally(e);
            }
        });
        try {
            return await(done);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        }
    }

    /** Waits for a result. */
    default <T> T await(CompletableFuture<T> done) throws InterruptedException, ExecutionException {
        try {
            return machine().get(done, Long.MAX_VALUE);
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }
}
