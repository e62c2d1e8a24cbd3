package io.muster.protocol.client;

import io.muster.protocol.tls.ClientFiles;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The options of a client.
 *
 * @param timeout limit for connecting, for sending a request, and for the response to it; zero waits without end
 * @param attempts number of attempts to connect, at least one
 * @param backoff pause after the first attempt, doubled after each further attempt
 * @param trace receives a line for every message that is sent or received; may be null
 * @param tls the files for {@code tls://}; may be null
 */
public record Options(
        Duration timeout,
        int attempts,
        Duration backoff,
        @Nullable Consumer<String> trace,
        @Nullable ClientFiles tls) {
    /** Options that tolerate a server that is just starting, and report within a second that there is none. */
    public static final Options DEFAULT = new Options(Duration.ofSeconds(30), 5, Duration.ofMillis(20), null, null);

    public Options {
        if (timeout.isNegative() || backoff.isNegative() || attempts < 1) {
            throw new IllegalArgumentException("negative time or no attempt");
        }
    }

    public Options withTimeout(Duration other) {
        return new Options(other, attempts, backoff, trace, tls);
    }

    public Options withAttempts(int number, Duration firstPause) {
        return new Options(timeout, number, firstPause, trace, tls);
    }

    public Options withTrace(@Nullable Consumer<String> lines) {
        return new Options(timeout, attempts, backoff, lines, tls);
    }

    public Options with(@Nullable ClientFiles files) {
        return new Options(timeout, attempts, backoff, trace, files);
    }
}
