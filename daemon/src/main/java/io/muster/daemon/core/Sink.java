package io.muster.daemon.core;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/** Where a stream's responses go: the border to the network. All calls are made on the core thread. */
public interface Sink {
    /** Whether the peer keeps up. A stream that is not writable is told when it is again, by whoever implements this. */
    boolean isWritable();

    /** Why there is no room for a response until peers have read others; null if there is. */
    @Nullable
    RpcException refusal(Bytes payload);

    void send(Bytes payload);

    /** The one error that ends the stream. */
    void end(RpcException reason);
}
