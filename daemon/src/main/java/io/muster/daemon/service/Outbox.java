package io.muster.daemon.service;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import org.jspecify.annotations.Nullable;

/** The way back to one peer; the border to Netty. */
public interface Outbox {
    void send(Response response);

    /** Why there is no room for an answer until peers have read others; null if there is. */
    @Nullable
    RpcException refusal(@Nullable Bytes payload);

    /** Whether the peer reads what it is sent. */
    boolean isWritable();

    /** So many requests of one peer may be worked on at a time. */
    int MOST_PENDING = 4096;

    /**
     * More, or fewer, requests of this peer are being worked on: while there are {@link #MOST_PENDING}, no more are begun. A request
     * that counts as so many is the last one to be begun until it is answered.
     */
    void pending(int change);
}
