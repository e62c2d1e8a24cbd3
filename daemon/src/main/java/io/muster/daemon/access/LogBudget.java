package io.muster.daemon.access;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the log lines about one user's faults. Without the limit, a user that can reach the socket could fill the log with
 * refused connections. Used on the core thread.
 */
public final class LogBudget {
    /** The number of lines about one user in each {@link #WINDOW}. */
    public static final int LINES = 20;

    static final long WINDOW = TimeUnit.MINUTES.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger("peer");
    private static final int MOST_USERS = 10_000;

    private final LongSupplier nanos;
    private final Map<String, Window> users = new HashMap<>();

    /** @param nanos a monotonic clock in nanoseconds */
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

    /** Returns whether one more line about this user may be written now, and counts it. */
    public boolean take(Identity identity) {
        return take(identity.who());
    }

    /** @param user text that identifies a user, or the address of a peer that is not known yet */
    public boolean take(String user) {
        long now = nanos.getAsLong();
        Window window = users.get(user);
        if (window == null || now - window.since >= WINDOW) {
            if (users.size() >= MOST_USERS) {
                users.clear();
            }
            window = new Window(now);
            users.put(user, window);
        }
        window.lines++;
        if (window.lines == LINES + 1) {
            log.info("{} is refused often: for a minute, its refusals are only counted", user);
        }
        return window.lines <= LINES;
    }
}
