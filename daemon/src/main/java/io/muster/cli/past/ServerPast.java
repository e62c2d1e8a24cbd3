package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventFeed;
import io.muster.cli.ask.Overview;
import io.muster.cli.ask.TargetNames;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Progress;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.Past;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.state.InventoryState;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Requests the past from a daemon, which reads it from disk, or from a Flux broker, which has it in memory. */
final class ServerPast implements PastSource {
    /** How long to wait for a part of an answer before the progress is drawn again. */
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final FluxClient client;
    private final Console console;
    private final double now;
    private @Nullable Overview standing;
    private String name = "the daemon";

    ServerPast(FluxClient client, Console console) {
        this.client = client;
        this.console = console;
        this.now = console.now();
    }

    @Override
    public InventoryState present() throws IOException {
        Overview known = standing;
        if (known == null) {
            known = Overview.ask(client);
            standing = known;
        }
        return known.state();
    }

    @Override
    public String resolve(String targets) throws IOException {
        return TargetNames.resolve(client, targets);
    }

    @Override
    public PastAnswer ask(Set<String> hosts, Period period, boolean notes) throws IOException {
        Map<Outage, List<String>> intervals = new LinkedHashMap<>();
        Coverage coverage = null;
        ObjectNode request = new HistoryRequest(hosts, period, notes).toJson();
        long read = 0;
        try (Progress progress = new Progress(console, "asking the daemon");
                ResponseStream stream = client.stream(HistoryRequest.TOPIC, request)) {
            while (hasNext(stream, progress, read)) {
                HistoryAnswer part = HistoryAnswer.parse(stream.next());
                part.intervals()
                        .forEach(entry -> intervals
                                .computeIfAbsent(entry.getKey(), outage -> new ArrayList<>())
                                .addAll(entry.getValue()));
                coverage = part.coverage();
                read += part.intervals().size();
            }
        } catch (RpcException e) {
            if (e.errno().equals(Errno.ENOSYS)) {
                return remembered(hosts, period, notes);
            }
            throw e;
        }
        if (coverage == null) {
            throw new IOException("the daemon ended its answer early");
        }
        return PastAnswer.of(intervals, coverage);
    }

    private boolean hasNext(ResponseStream stream, Progress progress, long read) throws IOException {
        long heard = System.nanoTime();
        do {
            progress.at(read, "outages");
            if (!client.timeout().isZero()
                    && System.nanoTime() - heard > client.timeout().toNanos()) {
                checkAlive();
                heard = System.nanoTime();
            }
        } while (!stream.await(GLANCE));
        return stream.hasNext();
    }

    /** Checks that the server answers at all: it may read its journal for a long time before it finds an outage. */
    private void checkAlive() throws IOException {
        try {
            client.rpc("resource.ping", JsonNodeFactory.instance.objectNode());
        } catch (RpcException refused) {
            // A refusal is an answer too.
        }
    }

    /**
     * Answers from the events that the server remembers and from its state, for a server that does not know
     * {@code resource.history}.
     */
    private PastAnswer remembered(Set<String> hosts, Period period, boolean notes) throws IOException {
        name = "the server's memory";
        Past past = new Past(hosts, period, notes);
        double lost = 0;
        try (EventFeed journal = EventFeed.follow(client)) {
            for (ObjectNode event = journal.remembered(); event != null; event = journal.remembered()) {
                if (event.path("name").asText().equals("truncate")) {
                    past.missing("");
                    lost = event.path("timestamp").asDouble();
                }
                past.add(event);
            }
        }
        if (period.until() >= now) {
            past.add(present(), now);
        }
        Coverage known = past.coverage();
        // The events since then are known, but not always their effects.
        Hostlist unknown = known.unknown();
        Coverage coverage = new Coverage(known.first(), lost > 0 ? lost : known.since(), lost == 0, "", unknown);
        return PastAnswer.of(past.rest(), coverage);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
