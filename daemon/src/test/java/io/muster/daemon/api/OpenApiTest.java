package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.JsonSchema;
import io.muster.daemon.RunningDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code openapi.json} describes the routes of {@link Route}, and responses conform to it. {@code docs/api.md} is generated from it. */
@Timeout(300)
final class OpenApiTest {
    private static final Path PAGE = Path.of("../docs/api.md");
    private static final String OPEN = "<!-- routes -->\n";
    private static final String CLOSE = "<!-- /routes -->";

    @TempDir
    private Path directory;

    private final JsonNode document = read();
    private final JsonSchema schema = new JsonSchema(JsonMapper.builder()
            .build()
            .createObjectNode()
            .set("$defs", document.path("components").path("schemas")));

    private static JsonNode read() {
        try {
            return JsonMapper.builder().build().readTree(Api.class.getResourceAsStream("openapi.json"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private JsonNode operation(io.muster.protocol.operation.Http place) {
        return document.path("paths").path(place.path()).path(place.method().toLowerCase(Locale.ROOT));
    }

    private static Set<String> params(JsonNode operation, String in) {
        Set<String> names = new TreeSet<>();
        operation.path("parameters").forEach(param -> {
            if (param.path("in").asText().equals(in)) {
                names.add(param.path("name").asText());
            }
        });
        return names;
    }

    @Test
    void theDocumentDescribesEveryRouteWithItsParametersAndItsRight() {
        Set<String> described = new TreeSet<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .fieldNames()
                        .forEachRemaining(
                                method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        Set<String> routes = new TreeSet<>();
        for (Place place : Place.all()) {
            JsonNode operation = operation(place.http());
            routes.add(place.http().method() + " " + place.http().path());
            Set<String> names = new TreeSet<>();
            place.http().params().forEach(param -> names.add(param.name()));
            assertThat(params(operation, "query")).as("%s", place).isEqualTo(names);
            String right = place.right() == null ? "null" : place.right().word();
            assertThat(operation.path("x-right").asText()).as("%s", place).isEqualTo(right);
            assertThat(operation.path("operationId").asText())
                    .isEqualToIgnoringCase(place.http().word());
        }
        assertThat(described).isEqualTo(routes);
    }

    /** Checks a response against the schema of its route and status. */
    private void check(String word, Http.Reply reply) throws IOException {
        String status = reply.status() == 200 ? "200" : "default";
        Place place = Place.all().stream()
                .filter(each -> each.http().word().equals(word))
                .findFirst()
                .orElseThrow();
        JsonNode content =
                operation(place.http()).path("responses").path(status).path("content");
        String type = content.fieldNames().next();
        assertThat(reply.header("content-type")).startsWith(type);
        JsonNode rule = content.path(type).path("schema");
        List<String> faults = new ArrayList<>();
        if (rule.has("$ref")) {
            String name = rule.path("$ref").asText();
            faults.addAll(schema.faults(name.substring(name.lastIndexOf('/') + 1), reply.json()));
        } else {
            String one = reply.json().has("dry_run") ? "dry-run" : "change";
            faults.addAll(schema.faults(one, reply.json()));
        }
        assertThat(faults).as("%s: %s", word, reply.text()).isEmpty();
    }

    @Test
    void responsesConformToTheDocument() throws Exception {
        try (RunningDaemon daemon = RunningDaemon.start(directory, ApiTest.RESOURCES)) {
            assertThat(daemon.uri()).isNotEmpty();
            Http http = new Http(directory.resolve("h"));
            String hold =
                    "{\"targets\":\"node[1-2]\",\"reason\":\"x\",\"holder\":\"h\",\"until\":\"2999-01-01T00:00:00Z\"}";
            check("hold", http.post("/v1/holds?dry-run", hold));
            check("hold", http.post("/v1/holds", hold));
            check("hold", http.post("/v1/holds", hold));
            String alert =
                    "{\"version\":\"4\",\"alerts\":[{\"fingerprint\":\"a1\",\"status\":\"resolved\",\"labels\":{}}]}";
            check("alerts", http.post("/v1/alerts", alert));
            daemon.reconfigure(ApiTest.RESOURCES + "[alerts]\nholder = \"alerts\"\n");
            check("alerts", http.post("/v1/alerts", alert));
            check("status", http.get("/v1/status?expand"));
            check("hosts", http.get("/v1/hosts"));
            check("host", http.get("/v1/hosts/node1"));
            check("host", http.get("/v1/hosts/nobody"));
            check("holds", http.get("/v1/holds"));
            check("lift", http.send("DELETE", "/v1/holds?targets=node1&holder=h", ""));
            check("lift", http.send("DELETE", "/v1/holds?targets=node2&holder=h&dry-run=true", ""));
            check("history", http.get("/v1/history?notes"));
            for (String by : List.of("reason", "host", "holder", "user", "state")) {
                check("report", http.get("/v1/report?by=" + by));
            }
            check("find", http.get("/v1/find?expr=node"));
            check("find", http.get("/v1/find?expr=node&output=paths&best=1&by=rank"));
            check("find", http.get("/v1/find?expr=node&output=jgf"));
            check("feasibility", http.post("/v1/feasibility", "{\"resources\":[{\"type\":\"node\",\"count\":1}]}"));
            check("r", http.get("/v1/R"));
            check("layout", http.get("/v1/layout"));
            check("service", http.get("/v1/service"));
            check("healthz", http.get("/healthz"));
            check("readyz", http.get("/readyz"));
            check("leader", http.get("/leader"));
            assertThat(http.get("/v1/openapi.json").json()).isEqualTo(document);
            daemon.reconfigure(
                    "[[resource.config]]\nhosts = \"node[3-8]\"\ncores = \"0-3\"\n[[listen]]\nhttp-socket = \"h\"\n");
            check("host", http.get("/v1/hosts/node2"));
            check("holds", http.get("/v1/holds"));
        }
    }

    @Test
    void theDocumentationHasTheRoutesOfTheDocument() throws IOException {
        String page = Files.readString(PAGE);
        int from = page.indexOf(OPEN) + OPEN.length();
        String tables = tables();
        if (Boolean.getBoolean("muster.rewrite")) {
            Files.writeString(PAGE, page.substring(0, from) + tables + page.substring(page.indexOf(CLOSE)));
        }
        assertThat(Files.readString(PAGE)).contains(OPEN + tables + CLOSE);
    }

    private String tables() {
        StringBuilder out = new StringBuilder();
        for (Place place : Place.all()) {
            JsonNode operation = operation(place.http());
            out.append("\n### ")
                    .append(place.http().method())
                    .append(' ')
                    .append(place.http().path())
                    .append("\n\n");
            out.append(operation.path("summary").asText()).append(". ");
            out.append(
                    place.right() == null
                            ? "Requires no right."
                            : operation.path("description").asText());
            JsonNode body = operation
                    .path("requestBody")
                    .path("content")
                    .path("application/json")
                    .path("schema");
            out.append(body.isMissingNode() ? "" : " The body is a " + link(body) + ".");
            JsonNode content = operation
                    .path("responses")
                    .path("200")
                    .path("content")
                    .elements()
                    .next();
            String answer = link(content.path("schema"));
            out.append(answer.isEmpty() ? "" : " The response is: " + answer + ".")
                    .append('\n');
            if (!operation.path("parameters").isEmpty()) {
                out.append("\n| parameter | in | type | meaning |\n|---|---|---|---|\n");
                operation.path("parameters").forEach(param -> out.append(row(param)));
            }
        }
        document.path("components").path("schemas").properties().forEach(each -> {
            out.append("\n### ").append(each.getKey()).append("\n\n");
            out.append(each.getValue().path("description").asText()).append('\n');
            List<JsonNode> shapes = new ArrayList<>();
            each.getValue().path("anyOf").forEach(shapes::add);
            if (shapes.isEmpty()) {
                shapes.add(each.getValue());
            }
            shapes.forEach(shape -> properties(out, shape));
        });
        return out.append('\n').toString();
    }

    private static void properties(StringBuilder out, JsonNode shape) {
        if (shape.path("properties").isEmpty()) {
            return;
        }
        out.append("\n| key | type | meaning |\n|---|---|---|\n");
        Set<String> required = new TreeSet<>();
        shape.path("required").forEach(name -> required.add(name.asText()));
        shape.path("properties").properties().forEach(key -> {
            String optional = required.contains(key.getKey()) ? "" : ", optional";
            out.append("| `").append(key.getKey()).append('`').append(optional).append(" | ");
            out.append(type(key.getValue())).append(" | ");
            out.append(key.getValue().path("description").asText()).append(" |\n");
        });
    }

    private static String row(JsonNode param) {
        return "| `" + param.path("name").asText() + "` | " + param.path("in").asText() + " | "
                + type(param.path("schema")) + " | " + param.path("description").asText() + " |\n";
    }

    private static String type(JsonNode rule) {
        String link = link(rule);
        if (!link.isEmpty()) {
            return link;
        }
        List<String> types = new ArrayList<>();
        if (rule.path("type").isTextual()) {
            types.add(rule.path("type").asText());
        }
        rule.path("type").forEach(type -> types.add(type.asText()));
        String all = String.join(" or ", types);
        return all.equals("array") ? "array of " + type(rule.path("items")) : all;
    }

    private static String link(JsonNode rule) {
        List<String> links = new ArrayList<>();
        List<JsonNode> rules = new ArrayList<>(List.of(rule));
        rule.path("anyOf").forEach(rules::add);
        for (JsonNode each : rules) {
            String place = each.path("$ref").asText();
            if (!place.isEmpty()) {
                String name = place.substring(place.lastIndexOf('/') + 1);
                links.add("[" + name + "](#" + name.toLowerCase(Locale.ROOT) + ")");
            }
        }
        return String.join(" or ", links);
    }

    /** The schemas that the API and the command share are equal, except for the prefix of references. */
    @Test
    void theApiAndTheCommandShareTheSchemasOfGroupsHoldsNotesAndEvents() throws IOException {
        JsonNode command = JsonMapper.builder()
                .build()
                .readTree(Path.of("../docs/json-schema.json").toFile());
        for (String name : List.of("by", "hold", "group", "job-usage", "note", "event")) {
            String ours = document.path("components").path("schemas").path(name).toString();
            ObjectNode theirs =
                    (ObjectNode) Objects.requireNonNull(command.path("$defs").path(name));
            assertThat(ours).isEqualTo(theirs.toString().replace("#/$defs/", "#/components/schemas/"));
        }
    }
}
