package io.muster.protocol.client;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.rpc.RpcException;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import io.muster.protocol.wire.ProtocolException;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A request that has been sent and whose response can be taken once. */
public final class SentRequest {
    private final Pending pending;

    SentRequest(Pending pending) {
        this.pending = pending;
    }

    /** Waits as {@link #get(Duration)} does, with the timeout of the client. */
    public ObjectNode get() throws IOException {
        return get(pending.client.timeout());
    }

    /**
     * Waits for the response. The result is an empty object if the response has no payload.
     *
     * @param timeout how long to wait; zero waits without end
     * @throws RpcException if the server responded with an error
     * @throws SocketTimeoutException if the server did not respond in time; a late response is dropped
     */
    public ObjectNode get(Duration timeout) throws IOException {
        return objectOf(pending.take(timeout));
    }

    static ObjectNode objectOf(Response response) throws ProtocolException {
        if (response.errnum() != 0) {
            throw RpcException.of(response);
        }
        @Nullable Bytes payload = response.payload();
        return payload == null ? JsonNodeFactory.instance.objectNode() : Json.parse(payload);
    }
}
