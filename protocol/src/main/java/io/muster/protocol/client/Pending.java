package io.muster.protocol.client;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A request with the responses that have arrived for it and that the caller has not taken yet. */
final class Pending {
    /** The approximate memory of a response without a payload, in bytes. */
    private static final long OVERHEAD = 200;

    final FluxClient client;
    final String topic;
    final int matchtag;
    private final ArrayDeque<Response> responses = new ArrayDeque<>();
    private boolean abandoned;

    Pending(FluxClient client, String topic, int matchtag) {
        this.client = client;
        this.topic = topic;
        this.matchtag = matchtag;
    }

    /** Keeps a response and returns its memory in bytes; 0 if the call was abandoned. */
    long offer(Response response) {
        if (abandoned) {
            return 0;
        }
        responses.add(response);
        return cost(response);
    }

    /** Returns the next response, or null if none arrives in time. */
    @Nullable
    Response take(Deadline deadline) throws IOException {
        while (responses.isEmpty()) {
            if (!client.receive(deadline) && responses.isEmpty()) {
                return null;
            }
        }
        Response response = responses.remove();
        client.taken(cost(response));
        return response;
    }

    /**
     * Returns the next response.
     *
     * @param timeout how long to wait; zero waits without end
     * @throws SocketTimeoutException if none arrives in time; later responses are dropped
     */
    Response take(Duration timeout) throws IOException {
        Response response = take(Deadline.ofTimeout(timeout));
        if (response == null) {
            abandon();
            throw new SocketTimeoutException(
                    client.server() + " did not answer " + topic + " within " + timeout.toMillis() + " ms");
        }
        return response;
    }

    /** Drops all responses that have arrived or will arrive. The matchtag stays in use until the last response. */
    void abandon() {
        abandoned = true;
        for (Response response : responses) {
            client.taken(cost(response));
        }
        responses.clear();
    }

    private static long cost(Response response) {
        Bytes payload = response.payload();
        return OVERHEAD + (payload == null ? 0 : payload.length());
    }
}
