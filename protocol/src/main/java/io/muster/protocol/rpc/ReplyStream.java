package io.muster.protocol.rpc;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;

/**
 * The server's end of a streaming RPC (RFC 6 "Streaming Responses"): any number of responses, then exactly one error that ends
 * the stream. This class creates the responses and enforces the order; the caller sends them.
 */
public final class ReplyStream {
    private final Request request;
    private final Credentials sender;
    private boolean ended;

    /**
     * Opens the stream.
     *
     * @param sender credentials that the responses carry
     * @throws RpcException EPROTO if the request does not ask for a stream, or for no response at all
     */
    public ReplyStream(Request request, Credentials sender) {
        if (!request.isStreaming() || request.isNoresponse()) {
            throw new RpcException(Errno.EPROTO, request.topic() + " requires streaming RPC flag");
        }
        this.request = request;
        this.sender = sender;
    }

    public Response next(Bytes payload) {
        checkOpen();
        return Response.streamed(request, sender, payload);
    }

    /** Returns the response that ends the stream after a {@link Cancellation}. */
    public Response cancel() {
        checkOpen();
        ended = true;
        return Response.error(request, sender, Errno.ECANCELED.value(), null);
    }

    public Response fail(RpcException error) {
        checkOpen();
        ended = true;
        return error.toResponse(request, sender);
    }

    private void checkOpen() {
        if (ended) {
            throw new IllegalStateException(request.topic() + ": the stream has ended");
        }
    }
}
