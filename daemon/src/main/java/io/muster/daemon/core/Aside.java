package io.muster.daemon.core;

import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Work for a request that takes too long for the core thread: a thread beside it does the work and hands back what to do next. */
public final class Aside {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private final Executor core;
    private final Executor beside;

    /** @param beside runs the work; with several threads, several pieces of work run at a time */
    public Aside(Executor core, Executor beside) {
        this.core = core;
        this.beside = beside;
    }

    /**
     * Does {@code work} beside the core thread, and then what the work returns on the core thread.
     *
     * @param bug runs on the core thread in place of that if the work fails by a bug, which the log has then; given a sentence for
     *     the peer, since each request must get an answer
     */
    public void run(Supplier<Runnable> work, Consumer<String> bug) {
        beside.execute(() -> {
            Runnable next = () -> bug.accept("the request came upon a bug; the log has it");
            try {
                next = work.get();
            } catch (RuntimeException | StackOverflowError e) {
                log.error("a request came upon a bug", e);
            } finally {
                hand(next);
            }
        });
    }

    /**
     * Answers many who wait, each in a task of its own on the core thread: between two answers other tasks run, among them those that
     * close peers whose unread answers take too much memory, and an answer that fails keeps no answer from the others. The first one
     * is answered at once.
     */
    public <T> void each(Iterator<T> waiting, Consumer<T> answer) {
        if (!waiting.hasNext()) {
            return;
        }
        try {
            answer.accept(waiting.next());
        } finally {
            if (waiting.hasNext()) {
                hand(() -> each(waiting, answer));
            }
        }
    }

    private void hand(Runnable next) {
        try {
            core.execute(next);
        } catch (RejectedExecutionException stopped) {
            log.debug("an answer comes after the end: {}", stopped.getMessage());
        }
    }
}
