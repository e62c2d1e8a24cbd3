package io.muster.daemon.core;

import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;

/** The receiver of a stream's responses, and the border to the network. All calls are made on the core thread. */
public interface Sink {
    /** Whether the peer reads fast enough. When a sink becomes writable again, its implementation resumes the stream. */
    boolean isWritable();

    void send(Bytes payload);

    /** Ends the stream with an error. */
    void end(RpcException reason);
}
