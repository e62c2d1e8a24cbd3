package io.muster.daemon.core;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The receiver of a stream's responses, which the service package implements for one peer. All calls are made on the core
 * thread.
 */
public interface Sink {
    /** Returns whether the peer reads fast enough. When a sink becomes writable again, its implementation resumes the stream. */
    boolean isWritable();

    /** Returns why there is no room for a response until peers have read other responses; null if there is room. */
    @Nullable
    RpcException refusal(Bytes payload);

    void send(Bytes payload);

    /** Ends the stream with an error. */
    void end(RpcException reason);
}
