package io.muster.inventory.status;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.hostlist.Listing;
import io.muster.inventory.problem.Text;
import io.muster.inventory.state.HoldChanges;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Formats a journal event (RFC 18, RFC 44) as one line: its name, its hosts, and then all its other fields. */
public final class EventText {
    private EventText() {}

    /** A way in which the values of an event's fields are written. */
    public interface Style {
        /** Returns the value as text, or null to leave the field out. */
        @Nullable
        String value(String key, JsonNode value);
    }

    /** Returns the event with its lists of hosts and ranks cut, for a terminal. */
    public static ObjectNode abridged(ObjectNode event, int columns) {
        ObjectNode shorter = event.deepCopy();
        if (shorter.path("context") instanceof ObjectNode context) {
            cut(context, "nodelist", Listing.HOSTS, columns);
            cut(context, "idset", Listing.RANKS, columns / 2);
            cut(context, "ranks", Listing.RANKS, columns / 2);
        }
        return shorter;
    }

    private static void cut(ObjectNode context, String key, Listing listing, int columns) {
        if (context.path(key).isTextual()) {
            context.put(key, listing.cut(context.path(key).asText(), columns));
        }
    }

    /** @param time prints times */
    public static String of(JsonNode event, DoubleFunction<String> time) {
        JsonNode context = event.path("context");
        StringBuilder line = new StringBuilder(event.path("name").asText());
        if (!context.path("nodelist").asText("").isEmpty()) {
            line.append(' ').append(context.path("nodelist").asText());
        }
        String ranks = context.path("idset").asText(context.path("ranks").asText(""));
        if (!ranks.isEmpty()) {
            line.append(ranks.indexOf('-') < 0 && ranks.indexOf(',') < 0 ? " (rank " : " (ranks ")
                    .append(ranks)
                    .append(')');
        }
        // Only an exclusion by the configuration gets its kind: the names of the other events already contain it.
        line.append(context.path("kind").asText().equals("config") ? " by the configuration" : "");
        line.append(context.path("holder").asText().equals(HoldChanges.Undrained.EVERYBODY) ? " for all holders" : "");
        fields(line, event, (key, value) -> value(key, value, time));
        line.append(context.has("user") ? " by " + Principal.author(context) : "");
        return Text.shown(line.toString());
    }

    /** Appends each field of an event's context as {@code key=value}. */
    public static void fields(StringBuilder line, JsonNode event, Style style) {
        for (Map.Entry<String, JsonNode> field : event.path("context").properties()) {
            String value = style.value(field.getKey(), field.getValue());
            if (value != null) {
                line.append(' ').append(field.getKey()).append('=').append(value);
            }
        }
    }

    private static @Nullable String value(String key, JsonNode value, DoubleFunction<String> time) {
        return switch (key) {
            case "idset",
                    "ranks",
                    "nodelist",
                    "kind",
                    "userid",
                    "user",
                    "pid",
                    "loginuid",
                    "speaker",
                    "id",
                    "request",
                    "R",
                    "initial",
                    "overwrite",
                    "online" -> null;
            case "holder" -> value.asText().equals(HoldChanges.Undrained.EVERYBODY) ? null : value.asText();
            case "vertices", "departed-vertices" -> {
                List<String> paths = new ArrayList<>();
                value.fieldNames().forEachRemaining(paths::add);
                paths.remove("");
                yield paths.isEmpty() ? null : String.join(",", paths);
            }
            case "paths" -> {
                List<String> paths = new ArrayList<>();
                value.forEach(path -> paths.add(path.asText()));
                yield String.join(",", paths);
            }
            case "tag" -> {
                List<String> tags = new ArrayList<>();
                value.properties().forEach(tag -> {
                    String text = tag.getValue().asText("");
                    boolean removed = tag.getValue().isNull();
                    tags.add(removed ? "-" + tag.getKey() : tag.getKey() + (text.isEmpty() ? "" : ":" + text));
                });
                yield String.join(",", tags);
            }
            case "mark" ->
                (value.path("state").isNull() ? "none" : value.path("state").asText())
                        + (value.has("reason")
                                ? " reason=\"" + value.path("reason").asText() + '"'
                                : "");
            case "reason", "cause" -> '"' + value.asText() + '"';
            case "planner" -> Principal.author(value);
            case "from", "until", "expiration" -> value.asDouble() > 0 ? time.apply(value.asDouble()) : "never";
            default -> value.isTextual() ? value.asText() : value.toString();
        };
    }
}
