package io.muster.daemon.service;

import io.muster.protocol.wire.Message;

/** Receives every message that is received or sent, for the wire trace; {@link #OFF} ignores them. */
@FunctionalInterface
public interface Tracer {
    Tracer OFF = (peer, direction, message) -> {};

    /**
     * Receives one message.
     *
     * @param direction {@code <} for a message from the peer, {@code >} for a message to the peer
     */
    void message(String peer, char direction, Message message);
}
