package io.muster.measure;

import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Many schedulers that share the resources, each with its own connection. */
final class Schedulers implements Closeable {
    private final List<FluxClient> clients = new ArrayList<>();
    private final List<ResponseStream> streams = new ArrayList<>();

    private Schedulers() {}

    static Schedulers acquire(String uri, int count) throws IOException {
        Schedulers schedulers = new Schedulers();
        for (int i = 0; i < count; i++) {
            FluxClient client = FluxClient.connect(uri);
            schedulers.clients.add(client);
            schedulers.streams.add(client.stream("resource.acquire", null));
        }
        schedulers.awaitUpdate();
        return schedulers;
    }

    /** Waits until each scheduler has received one more response. */
    void awaitUpdate() {
        streams.forEach(ResponseStream::next);
    }

    /** Closes the clients, which ends their streams. */
    @Override
    public void close() throws IOException {
        for (FluxClient client : clients) {
            client.close();
        }
    }
}
