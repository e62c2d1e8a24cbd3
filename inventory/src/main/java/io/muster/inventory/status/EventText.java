package io.muster.inventory.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.axis.Times;
import io.muster.inventory.problem.Text;
import java.util.Map;

/** Formats a journal event (RFC 18, RFC 44) as one line: its name, its hosts, then everything else in it. */
public final class EventText {
    private EventText() {}

    public static String of(JsonNode event) {
        JsonNode context = event.path("context");
        StringBuilder line = new StringBuilder(event.path("name").asText());
        if (context.has("nodelist")) {
            line.append(' ').append(context.path("nodelist").asText());
        }
        String ranks = context.path("idset").asText(context.path("ranks").asText(""));
        if (!ranks.isEmpty()) {
            line.append(ranks.indexOf('-') < 0 && ranks.indexOf(',') < 0 ? " (rank " : " (ranks ")
                    .append(ranks)
                    .append(')');
        }
        for (Map.Entry<String, JsonNode> field : context.properties()) {
            append(line, field.getKey(), field.getValue());
        }
        return Text.shown(line.toString());
    }

    private static void append(StringBuilder line, String key, JsonNode value) {
        switch (key) {
            case "idset", "ranks", "nodelist", "userid", "pid", "R", "initial", "online" -> {}
            // The names of exclusions by an admin and of losses already say their kind.
            case "kind" -> line.append(value.asText().equals("config") ? " by the configuration" : "");
            case "overwrite" -> line.append(value.asInt() == 0 ? "" : " overwrite=" + value.asInt());
            case "reason", "cause" ->
                line.append(' ')
                        .append(key)
                        .append("=\"")
                        .append(value.asText())
                        .append('"');
            case "until", "expiration" ->
                line.append(' ')
                        .append(key)
                        .append('=')
                        .append(value.asDouble() > 0 ? Times.second(value.asDouble()) : "never");
            case "user" -> line.append(" by ").append(value.asText());
            default ->
                line.append(' ').append(key).append('=').append(value.isTextual() ? value.asText() : value.toString());
        }
    }
}
