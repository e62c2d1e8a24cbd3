package io.muster.daemon.service;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import org.jspecify.annotations.Nullable;

/**
 * Sends responses to one peer. The net package implements this with a connection, so that the service package does not know
 * Netty.
 */
public interface Outbox {
    void send(Response response);

    /** Sends an error that ends a request. */
    default void fail(RpcException error, Response response) {
        send(response);
    }

    /** Returns why there is no room for a response until peers have read other responses; null if there is room. */
    @Nullable
    RpcException refusal(@Nullable Bytes payload);

    /** Returns whether the peer reads the responses that it is sent. */
    boolean isWritable();

    /** The highest number of requests of one peer that are being worked on at the same time. */
    int MOST_PENDING = 4096;

    /**
     * Changes the number of requests of this peer that are being worked on. While it is {@link #MOST_PENDING} or more, the
     * connection begins no other request. A request that counts as {@link #MOST_PENDING} therefore stops all others until it
     * is finished.
     */
    void pending(int change);
}
