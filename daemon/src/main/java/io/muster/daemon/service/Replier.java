package io.muster.daemon.service;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/** Responds to one request, once, on the core thread. */
public interface Replier {
    void done(@Nullable Bytes payload);

    void fail(RpcException error);

    /** Returns whether no client can receive the response any more. May be called on any thread. */
    default boolean isGone() {
        return false;
    }

    /** Sets what is called on the core thread when no client can receive the response any more. */
    default void whenGone(Runnable then) {}
}
