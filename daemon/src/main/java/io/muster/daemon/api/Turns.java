package io.muster.daemon.api;

import io.muster.daemon.http.Refusal;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;

/**
 * Limits the parts of requests that wait for the threads on which they are computed, for each user and for all together. A user who
 * sends many requests is refused before other users are. May be used on any thread.
 */
final class Turns {
    static final int MOST_OF_ONE_USER = 64;
    private static final int MOST = 1024;

    private final Executor threads;
    private final Map<String, Integer> waiting = new HashMap<>();
    private int sum;

    Turns(Executor threads) {
        this.threads = threads;
    }

    /** @throws Refusal 503 if too many parts wait already */
    void run(String who, Runnable task) {
        enter(who);
        boolean accepted = false;
        try {
            threads.execute(() -> {
                leave(who);
                task.run();
            });
            accepted = true;
        } finally {
            if (!accepted) {
                leave(who);
            }
        }
    }

    private synchronized void enter(String who) {
        int own = waiting.getOrDefault(who, 0);
        if (own >= MOST_OF_ONE_USER) {
            throw refusal(own + " requests of " + who + " wait already");
        } else if (sum >= MOST) {
            throw refusal(sum + " requests wait already");
        }
        waiting.put(who, own + 1);
        sum++;
    }

    private static Refusal refusal(String sentence) {
        return new Refusal(503, sentence + ": send this request again later");
    }

    private synchronized void leave(String who) {
        waiting.computeIfPresent(who, (key, own) -> own == 1 ? null : own - 1);
        sum--;
    }
}
