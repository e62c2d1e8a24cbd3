package io.muster.daemon.etcd;

import io.muster.daemon.machine.Machine;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The requests of other threads to the thread {@code ledger}, in order. */
final class Requests {
    private final Machine machine;
    private final BlockingQueue<Runnable> waiting;
    private volatile boolean closed;

    Requests(Machine machine) {
        this.machine = machine;
        this.waiting = machine.queue();
    }

    /** @throws IllegalStateException if the ledger is closed */
    void add(Runnable request) {
        if (closed) {
            throw new IllegalStateException("the ledger is closed");
        }
        waiting.add(request);
    }

    /** Adds a request, also while the ledger closes. */
    void addLate(Runnable request) {
        waiting.add(request);
    }

    /**
     * Waits for the answer to a question.
     *
     * @throws IOException if the question fails, or has no answer within a minute
     */
    <T> T ask(Callable<T> question) throws IOException {
        CompletableFuture<T> asked = new CompletableFuture<>();
        add(() -> {
            try {
                asked.complete(question.call());
            } catch (Exception e) {
                asked.completeExceptionally(e);
            }
        });
        try {
            return machine.get(asked, TimeUnit.MINUTES.toNanos(1));
        } catch (TimeoutException | ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(cause == null ? "no answer within a minute" : cause.getMessage(), e);
        } catch (InterruptedException e) {
            throw new InterruptedIOException("the daemon stops");
        }
    }

    boolean isClosed() {
        return closed;
    }

    /**
     * Accepts no more requests after this one.
     *
     * @return false if requests were no longer accepted before this call
     */
    synchronized boolean close(Runnable last) {
        boolean first = !closed;
        if (first) {
            waiting.add(last);
            closed = true;
        }
        return first;
    }

    /** Waits for a request for at most {@code millis}, and runs all waiting requests. */
    void run(long millis) {
        List<Runnable> taken = new ArrayList<>();
        try {
            Runnable first = waiting.poll(millis, TimeUnit.MILLISECONDS);
            if (first != null) {
                taken.add(first);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody may interrupt the ledger", e);
        }
        waiting.drainTo(taken);
        taken.forEach(Runnable::run);
    }
}
