package io.muster.daemon.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.daemon.cli.console.Console;
import io.muster.daemon.cli.console.Standing;
import io.muster.daemon.cli.render.EventText;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/** The daemon's answer to a dry run, for people. */
record Preview(ObjectNode answer) {
    void print(Console console, boolean json) {
        if (json) {
            ObjectNode document = answer.objectNode();
            document.put("schema_version", Standing.SCHEMA_VERSION).put("dry_run", true);
            document.setAll(answer);
            console.json(document);
        } else {
            console.print(text());
        }
    }

    String text() {
        StringBuilder out = new StringBuilder();
        JsonNode events = answer.path("events");
        if (events.isEmpty()) {
            out.append("nothing would change\n");
        }
        for (JsonNode event : events) {
            out.append("would ").append(EventText.of(event)).append('\n');
        }
        JsonNode updates = answer.path("updates");
        if (updates.isEmpty() && !events.isEmpty()) {
            out.append("no scheduler is connected\n");
        }
        for (JsonNode update : updates) {
            out.append("scheduler ").append(update.path("user").asText());
            int pid = update.path("pid").asInt();
            out.append(pid == 0 ? "" : " pid " + pid).append(" would get ");
            JsonNode payload = update.path("update");
            out.append(payload instanceof ObjectNode object ? compact(object) : "nothing")
                    .append('\n');
        }
        return out.toString();
    }

    private static String compact(ObjectNode object) {
        Bytes encoded = Json.encode(object);
        return encoded.first(encoded.length() - 1).text();
    }
}
