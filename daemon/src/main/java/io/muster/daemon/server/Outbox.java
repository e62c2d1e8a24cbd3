package io.muster.daemon.server;

import io.muster.protocol.wire.Response;

/** The way back to one peer; the border to Netty. */
interface Outbox {
    void send(Response response);

    /** Whether the peer reads what it is sent. */
    boolean isWritable();

    /** One more, or one less, request of this peer waits for the disk: too many, and no more are read. */
    void pending(int change);
}
