package io.muster.daemon.net;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Limits how long a peer may keep its connection without making progress. */
final class ProgressLimits {
    /**
     * The longest time in which a message may arrive. A peer sends a message with one write, so a message that is not complete by
     * then will never be.
     */
    private static final Duration UNFINISHED = Duration.ofSeconds(60);

    /** The longest time for which a peer may leave responses unread. A peer that only follows a stream may stop reading for as long as it likes. */
    private static final Duration DEAF = Duration.ofMinutes(10);

    private final Stagnation frame = new Stagnation(UNFINISHED);
    private final Stagnation deaf = new Stagnation(DEAF);

    /**
     * Notes whether the peer is in the middle of a message.
     *
     * @param messages the number of messages that have been received
     * @return why the connection must be closed; null if it need not be
     */
    @Nullable
    String inMessage(boolean inside, long messages, long nanos) {
        return frame.lasts(inside, messages, nanos)
                ? "the peer has left a message unfinished for " + UNFINISHED.toSeconds() + " s"
                : null;
    }

    /**
     * Notes whether the peer has responses to read that it must read.
     *
     * @param bytes the number of bytes that the peer has not read
     * @return why the connection must be closed; null if it need not be
     */
    @Nullable
    String unread(boolean unread, long bytes, long nanos) {
        return deaf.lasts(unread, bytes, nanos)
                ? "the peer has read none of its answers for " + DEAF.toMinutes() + " minutes"
                : null;
    }
}
