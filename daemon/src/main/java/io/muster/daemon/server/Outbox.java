package io.muster.daemon.server;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import org.jspecify.annotations.Nullable;

/** The way back to one peer; the border to Netty. */
interface Outbox {
    void send(Response response);

    /** Why there is no room for an answer until peers have read others; null if there is. */
    @Nullable
    RpcException refusal(@Nullable Bytes payload);

    /** Whether the peer reads what it is sent. */
    boolean isWritable();

    /** One more, or one less, request of this peer is being worked on: while there are too many, no more are begun. */
    void pending(int change);
}
