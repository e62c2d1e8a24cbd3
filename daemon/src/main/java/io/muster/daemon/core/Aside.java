package io.muster.daemon.core;

import java.util.Iterator;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the parts of requests that take too long for the core thread. A thread beside the core thread does the work and
 * returns what the core thread has to do next.
 */
public final class Aside {
    private static final Logger log = LoggerFactory.getLogger("muster");

    private static final String BUG = "a bug made the request fail; the log shows it";

    private final Executor core;
    private final Executor beside;

    /**
     * Creates an object for one executor.
     *
     * @param beside runs the work; if it has several threads, several pieces of work run at the same time
     */
    public Aside(Executor core, Executor beside) {
        this.core = core;
        this.beside = beside;
    }

    /**
     * Runs {@code work} beside the core thread, and then, on the core thread, the action that the work returns.
     *
     * @param bug runs on the core thread if the work or the action fails because of a bug, which is logged. It is given a
     *     sentence for the peer, because each request must get a response.
     */
    public void run(Supplier<Runnable> work, Consumer<String> bug) {
        beside.execute(() -> {
            Runnable next = () -> bug.accept(BUG);
            try {
                Runnable action = work.get();
                next = () -> guard(action, bug);
            } catch (RuntimeException | StackOverflowError e) {
                log.error("a bug made a request fail", e);
            } finally {
                hand(next);
            }
        });
    }

    private static void guard(Runnable task, Consumer<String> bug) {
        try {
            task.run();
        } catch (RuntimeException | StackOverflowError e) {
            log.error("a bug made a request fail", e);
            bug.accept(BUG);
        }
    }

    /**
     * Responds to many waiting requests, each in a task of its own on the core thread. Other tasks run between two
     * responses, such as those that close peers whose unread responses take too much memory, and a response that fails does
     * not prevent the others. The first response is sent at once.
     *
     * @param bug is given what the response was for, and a sentence for the peer, if {@code answer} fails because of a bug
     */
    public <T> void each(Iterator<T> waiting, Consumer<T> answer, BiConsumer<T, String> bug) {
        if (!waiting.hasNext()) {
            return;
        }
        T next = waiting.next();
        try {
            guard(() -> answer.accept(next), sentence -> bug.accept(next, sentence));
        } finally {
            if (waiting.hasNext()) {
                hand(() -> each(waiting, answer, bug));
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
