package io.muster.daemon.service;

import io.muster.protocol.wire.Credentials;

/** What the sessions count and log; the daemon binds it to its metrics. */
public interface SessionMeters {
    SessionMeters NONE = new SessionMeters() {};

    /** @param errnum 0 for success */
    default void answered(String topic, int errnum) {}

    /**
     * Somebody asked for what is not theirs.
     *
     * @param loud whether that is worth a warning: it is not when the peer has asked before
     */
    default void denied(Method method, String user, Credentials credentials, boolean loud) {}

    /** @param socket a word: main, admin */
    default void connected(String socket) {}

    /** @param reason a word: denied, full */
    default void refused(String reason) {}
}
