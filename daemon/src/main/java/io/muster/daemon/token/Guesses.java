package io.muster.daemon.token;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Counts wrong tokens by the address from which they came. 256 bits cannot be guessed; the limit prevents a program with a
 * wrong token from filling the log and from getting an answer to each of very many requests. A right token is never refused
 * because of others from the same address. May be used on any thread.
 */
final class Guesses {
    /** The number of wrong tokens from one address in each {@link #WINDOW}. */
    static final int MOST = 20;

    static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    /** The addresses that are remembered. */
    static final int MOST_SOURCES = 10_000;

    private final LongSupplier nanos;
    private final Map<String, Window> windows = new HashMap<>();

    private static final class Window {
        private final long since;
        private int wrong;

        Window(long since) {
            this.since = since;
        }
    }

    Guesses(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Counts a wrong token. Returns whether it is the first one from this address for some time. */
    synchronized boolean isFirst(String source) {
        long now = nanos.getAsLong();
        Window window = windows.get(source);
        if (window == null || now - window.since >= WINDOW) {
            if (windows.size() >= MOST_SOURCES) {
                windows.clear();
            }
            window = new Window(now);
            windows.put(source, window);
        }
        window.wrong++;
        return window.wrong == 1;
    }

    /** Returns whether more wrong tokens came from this address than are answered individually. */
    synchronized boolean isOver(String source) {
        Window window = windows.get(source);
        return window != null && window.wrong > MOST && nanos.getAsLong() - window.since < WINDOW;
    }
}
