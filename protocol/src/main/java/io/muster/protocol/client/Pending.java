package io.muster.protocol.client;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Response;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A request that responses may still come to, and those that have come and were not taken yet. */
final class Pending {
    /** What a response without a payload costs in memory, roughly. */
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

    /** Keeps a response; returns what it costs. */
    long offer(Response response) {
        if (abandoned) {
            return 0;
        }
        responses.add(response);
        return cost(response);
    }

    /** The next response if it comes in time. */
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

    /** Whatever has come or will come is of no interest. The matchtag stays taken until the last response. */
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
