package io.muster.cli.change;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.ask.EventLines;
import io.muster.cli.terminal.Console;
import io.muster.cli.terminal.Printable;
import io.muster.cli.terminal.Verb;
import io.muster.cli.terminal.Zone;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.problem.Text;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;

/** Prints the daemon's response to a dry run. */
record DryRunText(ObjectNode answer) {
    void print(Console console, Zone zone, boolean json) {
        if (json) {
            console.json(document(answer));
        } else {
            console.print(text(console, zone));
        }
    }

    /** Returns the document that {@code --dry-run --json} prints. */
    static ObjectNode document(ObjectNode answer) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("schema_version", Verb.SCHEMA_VERSION).put("dry_run", true);
        return document.setAll(answer);
    }

    private String text(Console console, Zone zone) {
        StringBuilder out = new StringBuilder();
        JsonNode events = answer.path("events");
        if (events.isEmpty()) {
            out.append("nothing would change\n");
        }
        for (JsonNode event : events) {
            out.append("would ")
                    .append(EventLines.text((ObjectNode) event, console, zone))
                    .append('\n');
        }
        answer.path("still-out")
                .forEach(sentence -> out.append(sentence.asText()).append('\n'));
        answer.path("claims-ended")
                .forEach(sentence -> out.append(sentence.asText()).append('\n'));
        String jobs = jobs(answer);
        out.append(jobs).append(jobs.isEmpty() ? "" : "\n");
        if (answer.has("available")) {
            out.append(again(answer.path("available").asText())).append('\n');
        }
        if (answer.path("updates").isEmpty() && !events.isEmpty()) {
            out.append("no scheduler is connected\n");
        }
        for (JsonNode update : answer.path("updates")) {
            int pid = update.path("pid").asInt();
            out.append("scheduler ").append(Printable.of(update.path("user").asText()));
            out.append(pid == 0 ? "" : " pid " + pid).append(" would get ");
            out.append(update.path("update") instanceof ObjectNode payload ? Text.escaped(asSent(payload)) : "nothing")
                    .append('\n');
        }
        return out.toString();
    }

    /** Returns the sentence about the waiting jobs that Flux ends because of a change; "" if it is not known that there are any. */
    static String jobs(ObjectNode answer) {
        long jobs = answer.path("ends-jobs").asLong();
        return jobs == 0
                ? ""
                : "Flux ends at least " + Text.count(jobs, "waiting job")
                        + ", because too few hosts have the properties.";
    }

    /** Returns the sentence that schedulers may use hosts again. */
    static String again(String hosts) {
        Hostlist list = Hostlist.parse(hosts);
        return list.abridged() + (list.size() == 1 ? " is" : " are") + " available again";
    }

    /**
     * Returns the payload exactly as it would be sent. The text of the JSON tree itself would write 2000000000.0 in another
     * form.
     */
    private static String asSent(ObjectNode payload) {
        Bytes encoded = Json.encode(payload);
        return encoded.first(encoded.length() - 1).text();
    }
}
