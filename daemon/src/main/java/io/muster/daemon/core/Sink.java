package io.muster.daemon.core;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/** The receiver of a stream's responses, and the border to the network. All calls are made on the core thread. */
public interface Sink {
    /** Whether the peer reads fast enough. When a sink becomes writable again, its implementation resumes the stream. */
    boolean isWritable();

    /** Why there is no room for a response until peers have read others; null if there is. */
    @Nullable
    RpcException refusal(Bytes payload);

    void send(Bytes payload);

    /** Ends the stream with an error. */
    void end(RpcException reason);
}
