package io.muster.daemon;

import io.muster.daemon.ledger.Ledger;
import io.muster.daemon.machine.Machine;
import io.muster.daemon.net.Door;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops the daemon in order: the sockets accept no new connections, changes in flight are completed and answered, streams end, connections
 * are closed, and a last snapshot makes the next start short. Each step that needs the ledger has a time limit, so the daemon always stops. A
 * change that was not answered may or may not exist at the next start, as after a crash.
 */
final class Stop {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Core core;
    private final Workers threads;
    private final List<? extends Door> sockets;
    private final Consumer<RpcException> endHistories;
    private final Duration patience;

    /**
     * @param endHistories ends the answers about the past, on the core thread
     * @param patience the time limit of each step that needs the ledger
     */
    Stop(
            Core core,
            Workers threads,
            List<? extends Door> sockets,
            Consumer<RpcException> endHistories,
            Duration patience) {
        this.core = core;
        this.threads = threads;
        this.sockets = sockets;
        this.endHistories = endHistories;
        this.patience = patience;
    }

    void run() {
        sockets.forEach(Door::stopAccepting);
        boolean answered = await(then -> {
            sockets.forEach(Door::stopServing);
            core.inventory().whenAnswered(() -> {
                core.inventory().close();
                then.complete(true);
            });
        });
        if (!answered) {
            log.error("the ledger does not answer: changes that wait for it are left unanswered");
        }
        await(this::endStreams);
        if (answered) {
            core.ledger().handOver(); // first, because the snapshot of a large inventory takes seconds
        }
        sockets.forEach(Door::close);
        if (answered && !await(this::snapshot)) {
            log.warn("the last snapshot could not be written: the next start replays the journal");
        }
        close(threads.machine(), core.ledger(), patience);
    }

    private void endStreams(CompletableFuture<Boolean> ended) {
        core.inventory().close(); // if changes are left unanswered
        RpcException stopping = new RpcException(Errno.ECANCELED, "the daemon is stopping");
        core.streams().acquires().endAll(stopping);
        core.streams().journals().endAll(stopping);
        core.streams().reporters().endAll(stopping);
        endHistories.accept(stopping);
        ended.complete(true);
    }

    private void snapshot(CompletableFuture<Boolean> taken) {
        core.snapshots().finish().thenAccept(outcome -> taken.complete(outcome.durable()));
    }

    /**
     * Runs a step on the core thread and waits for it to complete.
     *
     * @return false if the step did not complete in time
     */
    private boolean await(Consumer<CompletableFuture<Boolean>> step) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        threads.core().execute(() -> step.accept(done));
        return await(threads.machine(), done, patience);
    }

    private static boolean await(Machine machine, CompletableFuture<Boolean> done, Duration patience) {
        try {
            return machine.get(done, patience.toNanos());
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes the ledger on a worker, so that a disk that hangs blocks that worker but not the end of the process. */
    static void close(Machine machine, Ledger ledger, Duration patience) {
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        machine.worker("close", 1).execute(() -> {
            try {
                ledger.close();
            } catch (IOException e) {
                log.error("the ledger was not closed cleanly: {}", e.getMessage());
            } finally {
                closed.complete(true);
            }
        });
        if (!await(machine, closed, patience)) {
            log.error("the ledger does not answer: it is left as it is, as in a crash");
        }
    }
}
