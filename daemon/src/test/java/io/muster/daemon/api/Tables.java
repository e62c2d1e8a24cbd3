package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.operation.RequestKey;
import io.muster.protocol.rpc.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Writes shapes and operations as tables in Markdown, and keeps generated files up to date. */
public final class Tables {
    private Tables() {}

    /**
     * Checks that a file has a part that is generated. With {@code -Dmuster.rewrite=true}, the file gets the part first.
     *
     * @param mark the name of the marks around the part; "" if the part is the whole file
     */
    public static void check(Path file, String mark, String part) throws IOException {
        String page = Files.readString(file);
        String open = "<!-- " + mark + " -->\n";
        String whole = mark.isEmpty()
                ? part
                : page.substring(0, page.indexOf(open))
                        + open
                        + part
                        + page.substring(page.indexOf("<!-- /" + mark + " -->"));
        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(file, whole);
        }
        assertThat(Files.readString(file)).isEqualTo(whole);
    }

    /** Returns a section for each shape. */
    public static String of(ObjectNode shapes) {
        StringBuilder page = new StringBuilder();
        shapes.properties().forEach(each -> {
            page.append("\n### ").append(each.getKey()).append("\n\n");
            JsonNode rule = each.getValue();
            page.append(rule.path("description").asText());
            if (rule.has("properties")) {
                page.append("\n\n| key | type | meaning |\n|---|---|---|\n");
                rows("", rule, page);
            } else {
                String type = type(rule);
                page.append(type.equals("object") ? "" : ": see " + type).append('\n');
            }
        });
        return page.append('\n').toString();
    }

    private static void rows(String before, JsonNode rule, StringBuilder page) {
        List<String> required = new ArrayList<>();
        rule.path("required").forEach(key -> required.add(key.textValue()));
        rule.path("properties").properties().forEach(entry -> {
            String key = before + entry.getKey();
            JsonNode value = entry.getValue();
            page.append("| `").append(key).append(required.contains(entry.getKey()) ? "`" : "`, optional");
            page.append(" | ").append(type(value)).append(" | ");
            page.append(value.path("description").asText()).append(" |\n");
            rows(key + ".", value.has("items") ? value.path("items") : value, page);
        });
    }

    static String type(JsonNode rule) {
        if (rule.has("$ref")) {
            String name = rule.path("$ref").asText().replaceFirst(".*/", "");
            return "[" + name + "](#" + name.toLowerCase(Locale.ROOT) + ")";
        }
        if (rule.has("anyOf")) {
            return StreamSupport.stream(rule.path("anyOf").spliterator(), false)
                    .map(Tables::type)
                    .collect(Collectors.joining(", "));
        }
        if (rule.has("enum")) {
            return StreamSupport.stream(rule.path("enum").spliterator(), false)
                    .map(word -> "`" + word.asText() + "`")
                    .collect(Collectors.joining(", "));
        }
        List<String> types = new ArrayList<>();
        if (rule.path("type").isTextual()) {
            types.add(rule.path("type").asText());
        }
        rule.path("type").forEach(type -> types.add(type.asText()));
        String all = String.join(" or ", types);
        String shown = rule.has("format") ? all.replace("string", "time (RFC 3339)") : all;
        boolean known = rule.has("items") && !rule.path("items").isEmpty();
        return known ? "array of " + type(rule.path("items")) : shown;
    }

    /** Returns a section for each place of HTTP, from the OpenAPI document. */
    static String places(JsonNode document) {
        StringBuilder page = new StringBuilder();
        for (Place place : Place.all()) {
            JsonNode operation = document.path("paths")
                    .path(place.http().path())
                    .path(place.http().method().toLowerCase(Locale.ROOT));
            page.append("\n### ")
                    .append(place.http().method())
                    .append(' ')
                    .append(place.http().path())
                    .append("\n\n");
            page.append(operation.path("summary").asText()).append(". ");
            page.append(operation.path("description").asText());
            JsonNode answer = operation
                    .path("responses")
                    .path("200")
                    .path("content")
                    .elements()
                    .next();
            String type = type(answer.path("schema"));
            page.append(type.startsWith("[") ? " The answer is: " + type.replace(", ", " or ") + "." : "");
            List<String> errors = new ArrayList<>();
            operation.path("responses").properties().forEach(each -> {
                if (each.getKey().startsWith("4") || each.getKey().startsWith("5")) {
                    errors.add(each.getKey());
                }
            });
            page.append(errors.isEmpty() ? "" : " Errors: " + String.join(", ", errors) + ".")
                    .append('\n');
            StringBuilder rows = new StringBuilder();
            operation
                    .path("parameters")
                    .forEach(param -> row(
                            rows,
                            param,
                            param.path("in").asText(),
                            param.path("required").asBoolean(),
                            param.path("schema")));
            JsonNode body = operation
                    .path("requestBody")
                    .path("content")
                    .path("application/json")
                    .path("schema");
            List<String> required = new ArrayList<>();
            body.path("required").forEach(key -> required.add(key.asText()));
            body.path("properties")
                    .properties()
                    .forEach(key -> row(
                            rows,
                            ((ObjectNode) key.getValue()).deepCopy().put("name", key.getKey()),
                            "body",
                            required.contains(key.getKey()),
                            key.getValue()));
            page.append(rows.isEmpty() ? "" : "\n| key | in | type | meaning |\n|---|---|---|---|\n")
                    .append(rows);
        }
        return page.toString();
    }

    private static void row(StringBuilder rows, JsonNode key, String in, boolean required, JsonNode schema) {
        rows.append("| `").append(key.path("name").asText()).append(required ? "`" : "`, optional");
        rows.append(" | ").append(in).append(" | ").append(type(schema)).append(" | ");
        rows.append(key.path("description").asText()).append(" |\n");
    }

    /** Returns the table of all operations with their rights and keys. */
    static String operations(Shapes shapes) {
        StringBuilder table = new StringBuilder(
                "\n| topic | right | keys of the request | what it does | errors |\n|---|---|---|---|---|\n");
        for (Operation<?, ?> operation : Operations.all()) {
            Shapes.Said said = shapes.of(operation.topic());
            String own = operation.isOfFlux() ? "" : " (Muster's own)";
            String keys = operation.keys().stream().map(Tables::key).collect(Collectors.joining(", "));
            String errors =
                    OpenApi.errnos(operation, said).stream().map(Errno::name).collect(Collectors.joining(", "));
            table.append("| `")
                    .append(operation.topic())
                    .append('`')
                    .append(own)
                    .append(" | `");
            table.append(operation.right().word()).append("` | ").append(keys).append(" | ");
            table.append(said.sentence()).append(" | ").append(errors).append(" |\n");
        }
        return table.append('\n').toString();
    }

    private static String key(RequestKey key) {
        return "`" + key.name() + (key.required() ? "`" : "`?");
    }
}
