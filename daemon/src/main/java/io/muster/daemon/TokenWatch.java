package io.muster.daemon;

import io.muster.daemon.access.Identity;
import io.muster.daemon.api.Bearers;
import io.muster.daemon.token.Tokens;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The tokens of the API, whose file is read again regularly. Reading may block, so it is done on the worker thread. */
final class TokenWatch implements Bearers {
    private final Tokens tokens;
    private final Executor worker;
    private final AtomicBoolean waiting = new AtomicBoolean();

    TokenWatch(Tokens tokens, Executor worker) {
        this.tokens = tokens;
        this.worker = worker;
    }

    /** Reads the file, and then regularly. */
    void start(ScheduledExecutorService core) {
        tokens.look();
        var unused = core.scheduleWithFixedDelay(
                () -> {
                    if (waiting.compareAndSet(false, true)) {
                        worker.execute(this::look);
                    }
                },
                Tokens.EVERY_SECONDS,
                Tokens.EVERY_SECONDS,
                TimeUnit.SECONDS);
    }

    /** Reads the file. Runs on the worker thread. */
    void look() {
        waiting.set(false);
        tokens.look();
    }

    @Override
    public @Nullable Identity of(String token, String source) {
        return tokens.of(token, source);
    }

    @Override
    public boolean isGuessing(String source) {
        return tokens.isGuessing(source);
    }

    /** Writes the last uses, because the daemon stops. */
    void end() {
        worker.execute(tokens::writeUses);
    }
}
