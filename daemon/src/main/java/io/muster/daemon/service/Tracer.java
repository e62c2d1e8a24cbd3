package io.muster.daemon.service;

import io.muster.protocol.wire.Message;

/** Shows messages as they pass, or not. */
@FunctionalInterface
public interface Tracer {
    Tracer OFF = (peer, direction, message) -> {};

    /** @param direction {@code <} from the peer, {@code >} to it */
    void message(String peer, char direction, Message message);
}
