package io.muster.daemon.core;

import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * The listeners for changes, and the answers to changes. A round follows everything that became durable together: all listeners are called,
 * what they wrote is sent, and then the answers are given. Used by the core thread only.
 */
final class Settlement {
    private final Executor core;
    private final List<Commits> listeners = new ArrayList<>();
    private final Queue<Runnable> answers = new ArrayDeque<>();
    private boolean scheduled;

    Settlement(Executor core) {
        this.core = core;
    }

    /** Adds a listener. Listeners are called in the order in which they were added. */
    void listen(Commits listener) {
        listeners.add(listener);
    }

    void committed(List<Entry> entries, List<byte[]> lines, InventoryState reached) {
        tell(listeners.iterator(), listener -> listener.committed(entries, lines, reached));
    }

    /** Adds an answer, which the next round gives. */
    void add(Runnable answer) {
        answers.add(answer);
    }

    /** Returns whether every answer has been given. */
    boolean isDone() {
        return !scheduled && answers.isEmpty();
    }

    /** Schedules a round. */
    void schedule() {
        if (!scheduled) {
            scheduled = true;
            core.execute(this::begin);
        }
    }

    /**
     * Calls the listeners, and schedules the answers after the tasks in which the connections send what the listeners wrote. A bug in a
     * listener must not prevent the answers.
     */
    private void begin() {
        scheduled = false;
        int due = answers.size(); // further ones have to wait for their listeners
        try {
            tell(listeners.iterator(), Commits::settled);
        } finally {
            if (due > 0) {
                core.execute(() -> answer(due));
            }
        }
    }

    /** Gives the first answers. A bug in one of the callbacks must not prevent the others. */
    private void answer(int due) {
        int given = 0;
        try {
            while (given < due) {
                given++;
                answers.remove().run();
            }
        } finally {
            if (given < due) {
                schedule();
            }
        }
    }

    /** Calls all listeners in order, even if one of them throws because of a bug. */
    private static void tell(Iterator<Commits> rest, Consumer<Commits> news) {
        try {
            while (rest.hasNext()) {
                news.accept(rest.next());
            }
        } finally {
            if (rest.hasNext()) {
                tell(rest, news);
            }
        }
    }
}
