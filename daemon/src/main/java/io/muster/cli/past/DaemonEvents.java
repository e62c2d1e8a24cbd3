package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.Events;
import io.muster.protocol.client.FluxClient;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Reads the events that a daemon or a Flux broker remembers; {@code resource.journal-max} limits how many those are. */
final class DaemonEvents implements Events {
    private final FluxClient client;
    private final EventFeed journal;

    DaemonEvents(FluxClient client) throws IOException {
        this.client = client;
        this.journal = EventFeed.follow(client);
    }

    @Override
    public @Nullable ObjectNode next() {
        return journal.remembered();
    }

    @Override
    public String source() {
        return "the daemon's memory";
    }

    @Override
    public void close() throws IOException {
        try {
            journal.close();
        } finally {
            client.close();
        }
    }
}
