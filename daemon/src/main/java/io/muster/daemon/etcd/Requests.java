package io.muster.daemon.etcd;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The requests of other threads to the thread {@code ledger}, in order. */
final class Requests {
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();
    private volatile boolean closed;

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
