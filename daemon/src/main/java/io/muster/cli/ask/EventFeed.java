package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** Reads a server's journal (RFC 44) event by event: first the events that the server remembers, then new ones. */
public final class EventFeed implements Closeable {
    private final ResponseStream stream;
    private final Deque<ObjectNode> ready = new ArrayDeque<>();
    private boolean live;

    private EventFeed(ResponseStream stream) {
        this.stream = stream;
    }

    public static EventFeed follow(FluxClient client) throws IOException {
        return new EventFeed(client.stream(JournalRequest.TOPIC, null));
    }

    /** Reads the events after the one with this number. A Flux broker sends all events, without numbers. */
    public static EventFeed follow(FluxClient client, long since) throws IOException {
        return new EventFeed(client.stream(JournalRequest.TOPIC, new JournalRequest(since).toJson()));
    }

    /** Returns the next event that happened before the stream was opened; null after the last. */
    public @Nullable ObjectNode remembered() {
        while (ready.isEmpty() && !live && stream.hasNext()) {
            take();
        }
        return ready.poll();
    }

    /** Returns the next event, for which the method may wait long; null when the server ends the stream. */
    public @Nullable ObjectNode next() {
        while (ready.isEmpty() && stream.hasNext()) {
            take();
        }
        return ready.poll();
    }

    /**
     * Waits for an event for at most {@code time}.
     *
     * @return whether {@link #next} can return without waiting
     */
    public boolean await(Duration time) throws IOException {
        long start = System.nanoTime();
        while (ready.isEmpty()) {
            if (!stream.await(time.minusNanos(System.nanoTime() - start))) {
                return false;
            }
            if (!stream.hasNext()) {
                return true;
            }
            take();
        }
        return true;
    }

    private void take() {
        JsonNode events = stream.next().path("events");
        live |= events.isEmpty();
        for (JsonNode event : events) {
            if (event instanceof ObjectNode object) {
                ready.add(object);
            }
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
