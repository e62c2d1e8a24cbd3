package io.muster.daemon.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.JsonSchema;
import io.muster.daemon.RunningDaemon;
import io.muster.protocol.operation.Operations;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code openapi.json} describes the places of {@link Place}, and responses conform to it. It is generated, as are tables in {@code docs}. */
@Timeout(300)
final class OpenApiTest {
    private static final Path PAGE = Path.of("../docs/api-reference.md");
    private static final Path TOPICS = Path.of("../docs/topics.md");
    private static final Path FILE = Path.of("src/main/resources/io/muster/daemon/api/openapi.json");

    @TempDir
    private Path directory;

    private final Shapes shapes = new Shapes();
    private final JsonNode document = read();
    private final JsonSchema schema = new JsonSchema(JsonMapper.builder()
            .build()
            .createObjectNode()
            .set("$defs", document.path("components").path("schemas")));

    OpenApiTest() throws IOException {}

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
        Place place = Place.all().stream()
                .filter(each -> each.http().word().equals(word))
                .findFirst()
                .orElseThrow();
        JsonNode response = operation(place.http()).path("responses").path(String.valueOf(reply.status()));
        assertThat(response.isMissingNode()).as("%s: %s", word, reply.text()).isFalse();
        if (reply.status() != 200) {
            assertThat(response.path("description").asText())
                    .contains(reply.json().path("errno").asText("."));
        }
        JsonNode content = response.path("content");
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
            String hold = "{\"targets\":\"node[1-2]\",\"reason\":\"x\",\"holder\":\"h\",\"for\":\"12h\"}";
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
            for (String by : List.of("rack", "class", "queue", "host")) {
                check("availability", http.get("/v1/availability?bars=3&by=" + by));
            }
            check("availability", http.get("/v1/availability"));
            check("why", http.get("/v1/why?targets=node1,/cluster0&count=2"));
            check("find", http.get("/v1/find?expr=node"));
            check("find", http.get("/v1/find?expr=node&output=paths&best=1&by=rank"));
            check("find", http.get("/v1/find?expr=node&output=jgf"));
            check("find", http.get("/v1/find?expr=%28"));
            check("find", http.get("/v1/find"));
            check("hold", http.post("/v1/holds", "{\"targets\":\"nobody\"}"));
            check("hold", http.post("/v1/holds", "{\"targets\":\"node1\",\"until\":5}"));
            check("hold", http.post("/v1/holds", "{\"targets\":\"node1\",\"no-such-key\":5}"));
            check("lift", http.send("DELETE", "/v1/holds?targets=node7", "If-Match: \"1.0\"\r\n"));
            check("status", http.get("/v1/status?targets=nobody"));
            check("feasibility", http.post("/v1/feasibility", "{\"resources\":[{\"type\":\"node\",\"count\":1}]}"));
            check("r", http.get("/v1/R"));
            check("layout", http.get("/v1/layout"));
            check("impact", http.get("/v1/impact?targets=@batch"));
            check("audit", http.get("/v1/audit"));
            checkWork(http);
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

    private void checkWork(Http http) throws Exception {
        check("work", http.get("/v1/work"));
        check("boot", http.post("/v1/boots", "{\"host\":\"node1\",\"boot\":\"b1\"}"));
        String attempt = "{\"host\":\"node1\",\"attempt\":1,";
        check("check-result", http.post("/v1/check-results", attempt + "\"check\":\"nhc\",\"result\":\"ok\"}"));
        check("claim", http.post("/v1/work/claims", attempt + "\"lease\":\"1h\"}"));
        check("work-result", http.post("/v1/work/results", attempt + "\"result\":\"done\"}"));
    }

    @Test
    void theDocumentAndTheTablesOfTheDocumentationAreMadeFromTheRowsAndTheShapes() throws IOException {
        ObjectNode made = new OpenApi(shapes).document();
        Tables.check(FILE, "", Shapes.text(made));
        ObjectNode schemas = (ObjectNode) made.path("components").path("schemas");
        Tables.check(PAGE, "routes", Tables.places(made) + Tables.of(schemas));
        Tables.check(TOPICS, "operations", Tables.operations(shapes));
    }

    @Test
    void theFileHasAllOperationsAndNoOther() {
        Set<String> names = new TreeSet<>();
        Operations.all().forEach(operation -> names.add(operation.topic()));
        Place.all().forEach(place -> names.add(OpenApi.name(place)));
        assertThat(new TreeSet<>(shapes.operations())).isEqualTo(names);
        Set<String> roots = new TreeSet<>(shapes.verbs());
        roots.addAll(List.of("error", "refusal"));
        names.forEach(name -> roots.addAll(List.of(shapes.of(name).answer().split("\\|"))));
        roots.remove("");
        Set<String> reached = new TreeSet<>();
        shapes.reachable(roots).fieldNames().forEachRemaining(reached::add);
        assertThat(reached).isEqualTo(shapes.names());
    }
}
