package io.muster.it.cast;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.it.harness.LedgerDaemons;
import io.muster.protocol.admin.JournalRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A reader of the journal of one daemon. The reader connects again after each end of the stream, and records all received events. */
public final class JournalReader extends Thread {
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final String uri;
    /** A {@linkplain #fingerprint fingerprint} for each seq. */
    private final SortedMap<Long, Integer> shown = new TreeMap<>();

    private volatile long last;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    public JournalReader(String uri) {
        super("reader of " + uri);
        this.uri = uri;
    }

    /** A hash of an event; two events have the same hash with a very low probability. */
    static int fingerprint(JsonNode event) {
        String text = event.path("name").asText();
        if (!text.equals("resource-define")) { // a journal has R in full, and a stream beside the event
            text += event.path("timestamp").asDouble() + event.path("context").toString();
        }
        return text.hashCode();
    }

    @Override
    public void run() {
        try {
            while (!stopping) {
                read();
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void read() {
        try (FluxClient client = FluxClient.connect(uri, LedgerDaemons.IMPATIENT);
                ResponseStream stream = client.stream(JournalRequest.TOPIC, new JournalRequest(last).toJson())) {
            while (!stopping) {
                if (stream.await(PAUSE) && stream.hasNext()) {
                    stream.next().path("events").forEach(this::take);
                }
            }
        } catch (IOException | UncheckedIOException | RpcException e) {
            // The daemon has ended, hands over the lead, or is not yet at this reader's last event. Each of these is
            // temporary.
        }
    }

    private void take(JsonNode event) {
        long seq = event.path("seq").asLong();
        if (seq > 0) {
            assertThat(seq).as("a new event in the journal of %s", uri).isGreaterThan(last);
            shown.put(seq, fingerprint(event));
            last = seq;
        }
    }

    /** The seq of the last event that this reader received. */
    public long last() {
        return last;
    }

    public @Nullable Throwable failure() {
        return failure;
    }

    /** Ends this reader, and returns a fingerprint of each received event, by seq. */
    public SortedMap<Long, Integer> finish() throws InterruptedException {
        end();
        assertThat(failure).as(getName()).isNull();
        return shown;
    }

    public void end() throws InterruptedException {
        stopping = true;
        join();
    }
}
