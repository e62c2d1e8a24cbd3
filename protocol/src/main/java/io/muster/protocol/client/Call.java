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

/** A call that has been sent; its answer can be taken once. */
public final class Call {
    private final Pending pending;

    Call(Pending pending) {
        this.pending = pending;
    }

    /** Waits like {@link #get(Duration)}, with the client's own timeout. */
    public ObjectNode get() throws IOException {
        return get(pending.client.timeout());
    }

    /**
     * Waits for the answer, which is an empty object if the server sent no payload.
     *
     * @param timeout zero waits without end
     * @throws RpcException if the server answered with an error
     * @throws SocketTimeoutException if the server did not answer in time; a late answer is dropped
     */
    public ObjectNode get(Duration timeout) throws IOException {
        Response response = pending.take(Deadline.ofTimeout(timeout));
        if (response == null) {
            pending.abandon();
            throw new SocketTimeoutException(pending.client.server() + " did not answer " + pending.topic + " within "
                    + timeout.toMillis() + " ms");
        }
        return objectOf(response);
    }

    static ObjectNode objectOf(Response response) throws ProtocolException {
        if (response.errnum() != 0) {
            throw RpcException.of(response);
        }
        @Nullable Bytes payload = response.payload();
        return payload == null ? JsonNodeFactory.instance.objectNode() : Json.parse(payload);
    }
}
