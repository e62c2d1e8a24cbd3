package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JobspecTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BASIC = """
            {"version":1,
             "resources":[{"type":"node","count":4,"with":[{"type":"slot","count":1,"label":"default","with":[
               {"type":"core","count":2},{"type":"gpu","count":1}]}]}],
             "tasks":[{"command":["app"],"slot":"default","count":{"per_slot":1}}],
             "attributes":{"system":{"duration":3600.0,"cwd":"/home/flux"}}}
            """;

    @ParameterizedTest
    @ValueSource(strings = {"example1", "use_case_1.1", "use_case_2.1", "use_case_2.2", "use_case_2.3", "use_case_2.4"})
    void everyExampleOfRfc25IsVersionOneAtEveryLevel(String name) throws IOException {
        String yaml = SeedShapeTest.resource("/rfc25/" + name + ".yaml");
        for (Jobspec.Level level : Jobspec.Level.values()) {
            Jobspec jobspec = Jobspec.parse(yaml, level);
            assertThat(jobspec.duration()).isEqualTo(3600);
            assertThat(jobspec.resources()).hasSize(1);
            assertThat(jobspec.toJson().path("tasks")).hasSize(1);
        }
        assertThat(schema().validate(new YAMLMapper().readTree(yaml))).isEmpty();
    }

    private static Schema schema() throws IOException {
        return SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7)
                .getSchema(SeedShapeTest.resource("/rfc25/schema.json"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "example1",
                "use_case_1.5",
                "use_case_1.6",
                "use_case_2.4",
                "use_case_2.7",
                "use_case_2.8",
                "use_case_2.9"
            })
    void everyExampleOfRfc14IsCanonical(String name) throws IOException {
        Jobspec jobspec = Jobspec.parse(SeedShapeTest.resource("/rfc14/" + name + ".yaml"), Jobspec.Level.CANONICAL);
        assertThat(jobspec.notes()).isEmpty();
    }

    @Test
    void theConstraintOfUseCaseTwoNineIsRead() throws IOException {
        Jobspec jobspec = Jobspec.parse(SeedShapeTest.resource("/rfc14/use_case_2.9.yaml"), Jobspec.Level.CANONICAL);
        assertThat(jobspec.constraint()).isEqualTo(new Constraint.Properties(List.of("amd-mi50")));
        assertThat(jobspec.request().duration()).isEqualTo(3600);
    }

    /** Path, new value ("-" removes it), the sentence expected at each level ("ok" for accepted). */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "/version | - | : version is missing | : version is missing",
                "/version | 2 | /version: must be 1 | ok",
                "/version | 0 | /version: must be a positive | /version: must be a positive",
                "/version | \"1\" | /version: must be a positive | /version: must be",
                "/resources | {} | /resources: must be a list | /resources: must be a list",
                "/resources | [] | at least one | at least one",
                "/resources/0/type | \"smurf\" | version 1 has node or slot here, not \"smurf\" | ok",
                "/resources/0/type | 1 | must be a non-empty string, not 1 | must be a non-empty",
                "/resources/0/count | - | /resources/0: count is missing | count is missing",
                "/resources/0/count | 0 | /resources/0/count: a count must be at least 1 | at least 1",
                "/resources/0/count | \"4\" | takes an integer only | ok",
                "/resources/0/count | {\"min\":2} | takes an integer only | ok",
                "/resources/0/count | 2.5 | must be an integer, not 2.5 | must be an integer",
                "/resources/0/exclusive | true | ok | ok",
                "/resources/0/exclusive | 1 | must be true or false, not 1 | must be true or false",
                "/resources/0/id | \"a\" | version 1 has no such key in a node | ok",
                "/resources/0/foo | \"a\" | version 1 has no such key in a node | ok",
                "/resources/0/with | - | a node must have a slot in it | ok",
                "/resources/0/with | [] | at least one | at least one",
                "/resources/0/with | {} | must be a list of resource vertices, not a dictionary | must be a list",
                "/resources/0/with/0/label | - | a slot must have a label | a slot must have a label",
                "/resources/0/with/0/with | - | a slot must have resources in it | resources in it",
                "/resources/0/with/0/with/1/count | 0 | must be at least 1, not 0 | ok",
                "/resources/0/with/0/with/0/count | 0 | at least 1, not 0 | at least 1, not 0",
                "/resources/0/with/0/with/0/type | \"gpu\" | takes each type once | ok",
                "/resources/0/with/0/with/0/type | \"memory\" | version 1 must ask for cores | ok",
                "/resources/0/with/0/with/0/unit | 4 | must be a string, not 4 | must be a string",
                "/tasks | [] | at least one task | at least one task",
                "/tasks | {} | at least one task | at least one task",
                "/tasks/0 | 1 | a task must be a dictionary, not 1 | must be a dictionary",
                "/tasks/0/command | - | command is missing | command is missing",
                "/tasks/0/command | [] | at least one string | at least one string",
                "/tasks/0/command | \"app\" | ok | /tasks/0/command: must be a list",
                "/tasks/0/command | [1] | /tasks/0/command/0: must be a string, not 1 | must be a string",
                "/tasks/0/slot | \"nope\" | no slot has the label \"nope\" | ok",
                "/tasks/0/slot | 1 | must be a slot's label | must be a slot's label",
                "/tasks/0/count | {} | exactly one of per_slot | exactly one of",
                "/tasks/0/count | {\"per_slot\":1,\"total\":1} | exactly one of per_slot | exactly one of",
                "/tasks/0/count | {\"per_slot\":0} | per_slot: must be a positive integer, not 0 | positive",
                "/tasks/0/count | {\"per_slot\":2} | ok | ok",
                "/tasks/0/count | {\"total\":5} | ok | ok",
                "/tasks/0/count | {\"each\":5} | expected per_slot, per_resource or total | expected per_slot",
                "/tasks/0/count | {\"per_resource\":{\"type\":\"core\",\"count\":1}} | version 1 has per_slot and total only | ok",
                "/tasks/0/count | {\"per_resource\":{\"type\":\"rack\",\"count\":1}} | per_slot and total only | holds no \"rack\"",
                "/tasks/0/distribution | \"block\" | version 1 has no such task key | ok",
                "/attributes | null | must be a dictionary, not null | not null",
                "/attributes/other | {} | attributes holds system and user only | system and user only",
                "/attributes/system/duration | - | duration is missing | ok",
                "/attributes/system/duration | -1 | 0 or more, not -1 | 0 or more",
                "/attributes/system/duration | \"1h\" | must be a number of seconds | number of seconds",
                "/attributes/system/cwd | 1 | must be a string, not 1 | must be a string",
                "/attributes/system/environment | [] | must be a dictionary, not a list | must be a dictionary",
                "/attributes/system/dependencies | {} | must be a list, not a dictionary | must be a list",
                "/resources/0/label | \"n\" | ok | ok",
                "/resources/0/label | 5 | must be a string, not 5 | must be a string",
                "/resources/0/count | 4.0 | must be an integer, not 4.0 | must be an integer",
                "/attributes/system/environment | {\"A\":1} | /environment/A: must be a string, not 1 | must be a string",
                "/attributes/system/environment | {\"A\":\"1\",\"B\":null} | ok | ok",
                "/attributes/system/preemptible-after | -1 | 0 or more, not -1 | 0 or more",
                "/attributes/system/preemptible-after | 1e999 | 0 or more, not | 0 or more",
                "/attributes/system/preemptible-after | 0 | ok | ok",
                "/attributes/system/dependencies | [1] | /dependencies/0: a dependency must be a dictionary, not 1 | dictionary",
                "/attributes/system/dependencies | [{\"scheme\":\"a\"}] | /dependencies/0: value is missing | value is missing",
                "/attributes/system/dependencies | [{\"value\":\"a\"}] | /dependencies/0: scheme is missing | scheme is missing",
                "/attributes/system/dependencies | [{\"scheme\":\"a\",\"value\":1}] | /dependencies/0/value: must be a string, not 1 | must be a string",
                "/attributes/system/dependencies | [{\"scheme\":\"a\",\"value\":\"1\",\"k\":5}] | ok | ok",
                "/attributes/system/constraints | {\"prop\":[]} | constraints/prop: unknown operator | unknown operator",
            })
    void judgesEveryRuleAtEveryLevel(String path, String value, String v1, String canonical) throws Exception {
        JsonNode mutant = mutate(path, value);
        assertThat(outcome(mutant, Jobspec.Level.V1)).contains(v1.strip());
        assertThat(outcome(mutant, Jobspec.Level.CANONICAL)).contains(canonical.strip());
    }

    private static JsonNode mutate(String path, String value) throws IOException {
        JsonNode root = JSON.readTree(BASIC);
        int slash = path.lastIndexOf('/');
        JsonNode parent = root.at(path.substring(0, slash));
        String key = path.substring(slash + 1);
        if (parent instanceof ArrayNode array) {
            array.set(Integer.parseInt(key), JSON.readTree(value));
        } else if (value.equals("-")) {
            ((ObjectNode) parent).remove(key);
        } else {
            ((ObjectNode) parent).set(key, JSON.readTree(value));
        }
        return root;
    }

    private static String outcome(JsonNode root, Jobspec.Level level) {
        try {
            Jobspec.parse(root, level);
            return "ok";
        } catch (InvalidException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Test
    void allProblemsAreReportedAtOnceWithTheirLines() {
        String yaml = """
                version: 1
                resources:
                  - type: node
                    count: 0
                    with:
                      - type: slot
                        count: 1
                        with:
                          - type: core
                tasks:
                  - command: app
                    slot: default
                attributes:
                  system: {}
                """;
        assertThatThrownBy(() -> Jobspec.parse(yaml, Jobspec.Level.V1))
                .isInstanceOfSatisfying(
                        InvalidException.class,
                        e -> assertThat(e.problems())
                                .extracting(Problem::toString)
                                .containsExactlyInAnyOrder(
                                        "/resources/0/count (line 4): a count must be at least 1, not 0",
                                        "/resources/0/with/0 (line 6): a slot must have a label",
                                        "/resources/0/with/0/with/0 (line 9): count is missing",
                                        "/tasks/0 (line 11): count is missing",
                                        "/attributes/system (line 14): duration is missing; version 1 must give it"));
    }

    @Test
    void harmlessDeviationsAreAcceptedWithANote() throws Exception {
        Jobspec zero = Jobspec.parse(mutate("/resources/0/with/0/with/1/count", "0"), Jobspec.Level.CANONICAL);
        assertThat(zero.resources().get(0).mentions("gpu")).isFalse();
        assertThat(zero.notes())
                .extracting(Problem::sentence)
                .contains("a gpu count of 0 is not in RFC 14; the vertex is left out");
        Jobspec two = Jobspec.parse(mutate("/tasks/0/count", "{\"total\":5}"), Jobspec.Level.V1);
        assertThat(two.notes())
                .extracting(Problem::sentence)
                .containsExactly("RFC 25 today allows no more tasks than slots, here 4");
    }

    @ParameterizedTest
    @EnumSource(Jobspec.Level.class)
    void jsonAndYamlGiveTheSameJobspecAndKeepUnknownKeys(Jobspec.Level level) throws Exception {
        JsonNode root = mutate("/attributes/system/x-site", "{\"a\":[1,2.5,null]}");
        Jobspec json = Jobspec.parse(root.toString(), level);
        Jobspec yaml = Jobspec.parse(new YAMLMapper().writeValueAsString(root), level);
        assertThat(yaml.toJson()).isEqualTo(json.toJson()).isEqualTo(root);
        assertThat(yaml.resources()).isEqualTo(json.resources());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{\"version\":1,\"version\":1} | not JSON: Duplicate field 'version'",
                "{\"version\":1} x | not JSON",
                "{\"version\":  | line 1",
                "a: 1\\na: 2 | given twice",
                "a: [1 | not YAML",
                "? [a]\\n: 1 | a key must be a plain value",
                "~~ | is empty",
                "[] | must be a dictionary, not a list",
                "hello | must be a dictionary, not a string",
            })
    void brokenDocumentsAreRefusedWithTheirPlace(String text, String sentence) {
        assertThatThrownBy(() -> Jobspec.parse(text.replace("\\n", "\n"), Jobspec.Level.CANONICAL))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void yamlBombsAreRefused() {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 9; i++) {
            String alias = "*a" + (i - 1) + ",";
            laughs.append("a")
                    .append(i)
                    .append(": &a")
                    .append(i)
                    .append(" [")
                    .append(alias.repeat(10))
                    .append("]\n");
        }
        assertThatThrownBy(() -> Jobspec.parse(laughs.toString(), Jobspec.Level.CANONICAL))
                .hasMessageContaining("more than 200000 values");
        assertThatThrownBy(() -> Jobspec.parse("a: &a [*a]", Jobspec.Level.CANONICAL))
                .isInstanceOf(InvalidException.class);
        assertThatThrownBy(() -> Jobspec.parse("a: " + "[".repeat(5000), Jobspec.Level.CANONICAL))
                .isInstanceOf(InvalidException.class);
        assertThatThrownBy(() -> Jobspec.parse("{\"a\":".repeat(5000), Jobspec.Level.CANONICAL))
                .isInstanceOf(InvalidException.class);
        assertThatThrownBy(
                        () -> Resource.parseList("- type: a\n  count: 1\n  with: &w [{type: b, count: 1, with: *w}]"))
                .isInstanceOf(InvalidException.class);
    }

    @Test
    void yamlScalarsFollowTheRulesOfYaml11() {
        List<Resource> resources =
                Resource.parseList("- {type: a, count: 010, x: 3600., y: yes, z: 2024-01-01, q: '010'}");
        assertThat(resources.get(0).count()).isEqualTo(Count.of(8));
        assertThat(resources.get(0).attributes()).hasToString("{x=3600.0, y=true, z=\"2024-01-01\", q=\"010\"}");
    }

    @Test
    void aShapeBecomesAJobspecWhoseTasksRunInItsSlots() {
        Jobspec v1 = Jobspec.of(Shape.parse("slot=4/[core=2;gpu]"), List.of("app"), 60);
        assertThat(v1.version()).isEqualTo(1);
        assertThat(v1.toJson().path("tasks"))
                .extracting(t -> t.path("slot").asText())
                .containsExactly("default");
        assertThat(v1.duration()).isEqualTo(60);
        Jobspec later = Jobspec.of(Shape.parse("[slot{a}/node;slot{b}/core]"), List.of("app"), 0);
        assertThat(later.version()).isEqualTo(Jobspec.CANONICAL_VERSION);
        assertThat(later.toJson().path("tasks"))
                .extracting(t -> t.path("slot").asText())
                .containsExactly("a", "b");
        assertThatThrownBy(() -> Jobspec.of(Shape.parse("node"), List.of("app"), 0))
                .hasMessageContaining("tasks");
    }
}
