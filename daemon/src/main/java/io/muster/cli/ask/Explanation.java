package io.muster.cli.ask;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Failure;
import io.muster.cli.terminal.Zone;
import io.muster.protocol.admin.WhyQuery;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.rpc.RpcException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Why hosts and vertices are in their states, as the daemon says it. */
public record Explanation(ObjectNode json) {
    /** @throws Failure if the daemon refuses the question, or the server is a Flux broker */
    public static Explanation ask(FluxClient client, WhyQuery query) throws IOException {
        try {
            return new Explanation(client.rpc(WhyQuery.TOPIC, query.toJson()));
        } catch (RpcException e) {
            throw StateDocument.refused(e, client, query.targets());
        }
    }

    /** Returns a text for people about each host and vertex. */
    public List<String> texts(Console console, Zone zone) {
        double now = StateDocument.time(json.path("time"));
        String silence = json.path("events_refused").asText("");
        List<String> texts = new ArrayList<>();
        for (String key : List.of("hosts", "vertices")) {
            for (JsonNode account : json.path(key)) {
                ArrayNode events = account.withArray("events");
                for (int i = 0; i < events.size(); i++) {
                    events.set(i, EventLines.fitting((ObjectNode) events.get(i), console));
                }
                texts.add(WhyText.of(account, now, silence, zone::second));
            }
        }
        return texts;
    }
}
