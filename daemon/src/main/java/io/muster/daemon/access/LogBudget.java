package io.muster.daemon.access;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of the log a user gets for what it does wrong: whoever may reach the socket may connect and be refused as often as it
 * likes. For the core thread.
 */
public final class LogBudget {
    /** Lines about one user in a {@link #WINDOW}. */
    public static final int LINES = 20;

    static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger("peer");
    private static final int MOST_USERS = 10_000;

    private final LongSupplier nanos;
    private final Map<String, Window> users = new HashMap<>();

    /** @param nanos a clock that only goes forward */
    public LogBudget(LongSupplier nanos) {
        this.nanos = nanos;
    }

    private static final class Window {
        private final long since;
        private int lines;

        Window(long since) {
            this.since = since;
        }
    }

    /** Whether one more line about this user may be written now. */
    public boolean take(Identity identity) {
        String who = identity.who();
        long now = nanos.getAsLong();
        Window window = users.get(who);
        if (window == null || now - window.since >= WINDOW) {
            if (users.size() >= MOST_USERS) {
                users.clear();
            }
            window = new Window(now);
            users.put(who, window);
        }
        window.lines++;
        if (window.lines == LINES + 1) {
            log.info("{} is refused often: for a minute that is only counted", who);
        }
        return window.lines <= LINES;
    }
}
