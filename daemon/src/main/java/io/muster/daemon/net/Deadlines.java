package io.muster.daemon.net;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long a peer may keep its connection without going on. */
final class Deadlines {
    /** A frame is one write of the peer's: what has not come in this time will not. */
    private static final Duration UNFINISHED = Duration.ofSeconds(60);

    /** How long a peer may read nothing. A peer that only follows a stream may sleep as long as it likes. */
    private static final Duration DEAF = Duration.ofMinutes(10);

    private final Stagnation frame = new Stagnation(UNFINISHED);
    private final Stagnation deaf = new Stagnation(DEAF);

    /**
     * Notes whether the peer is inside a message.
     *
     * @param messages the number of messages that were received
     * @return why the connection is to be closed; null if it is not
     */
    @Nullable
    String inMessage(boolean inside, long messages, long nanos) {
        return frame.lasts(inside, messages, nanos)
                ? "it has left a message unfinished for " + UNFINISHED.toSeconds() + " s"
                : null;
    }

    /**
     * Notes whether the peer has answers to read that it should read.
     *
     * @param bytes the number of bytes that it has to read
     * @return why the connection is to be closed; null if it is not
     */
    @Nullable
    String unread(boolean unread, long bytes, long nanos) {
        return deaf.lasts(unread, bytes, nanos)
                ? "it has read nothing of its answers for " + DEAF.toMinutes() + " minutes"
                : null;
    }
}
