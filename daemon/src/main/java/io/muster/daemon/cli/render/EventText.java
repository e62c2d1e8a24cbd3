package io.muster.daemon.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/** A journal event (RFC 18, RFC 44) in one line: its name, its hosts first, then what else there is to it. */
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
        return Printable.of(line.toString());
    }

    private static void append(StringBuilder line, String key, JsonNode value) {
        switch (key) {
            case "idset", "ranks", "nodelist", "userid", "pid", "R", "initial", "online" -> {}
            // An admin's exclusion is called one already, and so is a loss.
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
