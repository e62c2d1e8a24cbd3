package io.muster.cli.past;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.StateDocument;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Progress;
import io.muster.inventory.history.Coverage;
import io.muster.inventory.history.Outage;
import io.muster.inventory.history.PastAnswer;
import io.muster.inventory.history.Period;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.protocol.admin.HistoryAnswer;
import io.muster.protocol.admin.HistoryRequest;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.ResponseStream;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Requests the past from a daemon, which reads it from disk. */
final class ServerPast implements PastSource {
    /** How long to wait for a part of an answer before the progress is drawn again. */
    private static final Duration GLANCE = Duration.ofMillis(200);

    private final FluxClient client;
    private final Console console;

    ServerPast(FluxClient client, Console console) {
        this.client = client;
        this.console = console;
    }

    @Override
    public Hostlist hosts(String targets) throws IOException {
        return StateDocument.find(client, "targets", targets).hosts();
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

    @Override
    public String name() {
        return "the daemon";
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
