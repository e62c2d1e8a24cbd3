package io.muster.protocol.client;

import io.muster.protocol.wire.Dialect;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a client behaves towards its server.
 *
 * @param timeout for the welcome, for handing over a request, and for the answer to a call; zero waits without end
 * @param attempts how often to try to connect, at least once
 * @param backoff pause after the first attempt, doubled after each
 * @param dialect what to speak; the server answers in kind
 * @param trace takes a line for every message sent and received, or null
 */
public record Options(
        Duration timeout,
        int attempts,
        Duration backoff,
        Dialect dialect,
        @Nullable Consumer<String> trace) {
    /** Rides out a server that is just starting, and tells a person within a second that there is none. */
    public static final Options DEFAULT =
            new Options(Duration.ofSeconds(30), 5, Duration.ofMillis(20), Dialect.DEPLOYED, null);

    public Options {
        if (timeout.isNegative() || backoff.isNegative() || attempts < 1) {
            throw new IllegalArgumentException("negative time or no attempt");
        }
    }

    public Options withTimeout(Duration other) {
        return new Options(other, attempts, backoff, dialect, trace);
    }

    public Options withAttempts(int number, Duration firstPause) {
        return new Options(timeout, number, firstPause, dialect, trace);
    }

    public Options with(Dialect other) {
        return new Options(timeout, attempts, backoff, other, trace);
    }

    public Options withTrace(@Nullable Consumer<String> lines) {
        return new Options(timeout, attempts, backoff, dialect, lines);
    }
}
