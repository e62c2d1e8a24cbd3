package io.muster.daemon.service;

import io.muster.protocol.operation.Operation;
import io.muster.protocol.wire.Credentials;

/** Counts and logs what happens in sessions. The daemon implements this with its metrics. */
public interface SessionMeters {
    /**
     * Called when a request has been responded to.
     *
     * @param errnum 0 for success
     */
    default void answered(String topic, int errnum) {}

    /**
     * Called when a peer requested an operation for which it has no right.
     *
     * @param loud whether to log a warning, which happens only the first time that a peer requests the operation
     */
    default void denied(Operation<?, ?> operation, String user, Credentials credentials, boolean loud) {}

    /** Called the first time that a peer is refused a report or an acquisition, for another reason than a missing right. */
    default void faulted(Operation<?, ?> operation, String user, String sentence) {}

    /**
     * Called when a peer was accepted.
     *
     * @param socket name of the socket: main or admin
     */
    default void connected(String socket) {}

    /**
     * Called when a peer was refused.
     *
     * @param reason a word: denied or full
     */
    default void refused(String reason) {}
}
