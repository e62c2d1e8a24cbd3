package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JgfTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TINY = """
            {"graph":{"nodes":[
              {"id":"8","metadata":{"type":"core","id":0,"rank":3,"exclusive":true,"paths":{"containment":"/tiny0/node0/core0"}}},
              {"id":"4","metadata":{"type":"memory","id":0,"rank":3,"size":2,"unit":"GB","ephemeral":{"a":1},"paths":{"containment":"/tiny0/node0/memory0"}}},
              {"id":"2","label":"n","metadata":{"type":"node","id":0,"rank":3,"name":"fluke9","properties":{"ssd":"","x":"1"},"paths":{"containment":"/tiny0/fluke9"}}},
              {"id":"0","metadata":{"type":"cluster","basename":"tiny","id":0,"rank":-1,"paths":{"containment":"/tiny0"}}}],
             "edges":[{"source":"0","target":"2"},{"source":"2","target":"8"},{"source":"2","target":"4"}]}}
            """;

    /** Returns the meaning of a document, independent of the order and the defaults with which it was written. */
    private static Map<String, Object> meaning(ResourceGraph graph) {
        Map<String, Object> meaning = new TreeMap<>();
        for (int v = 0; v < graph.size(); v++) {
            meaning.put(graph.key(v), List.of(graph.pool(v), graph.rank(v), graph.extended(v)));
        }
        graph.forEachEdge((s, t, kind) -> meaning.put(graph.key(s) + ">" + graph.key(t) + kind, ""));
        return meaning;
    }

    /** Returns a written document without those keys of RFC 20 that the given document, in the same order, does not have. */
    private static JsonNode asGiven(JsonNode written, JsonNode given) {
        JsonNode copy = written.deepCopy();
        for (String list : List.of("/graph/nodes", "/graph/edges")) {
            for (int i = 0; i < given.at(list).size(); i++) {
                ObjectNode element = (ObjectNode) copy.at(list).get(i);
                JsonNode original = given.at(list).get(i);
                ObjectNode metadata = (ObjectNode) element.get("metadata");
                for (String key : List.of(
                        "uuid", "basename", "name", "id", "properties", "size", "unit", "subsystem", "relationship")) {
                    if (!original.path("metadata").has(key)) {
                        boolean ofEdge = key.equals("subsystem") || key.equals("relationship");
                        assertThat(metadata.remove(key) != null).isEqualTo(ofEdge == list.equals("/graph/edges"));
                    }
                }
                if (metadata.isEmpty() && !original.has("metadata")) {
                    element.remove("metadata");
                }
            }
        }
        return copy;
    }

    @Test
    void theTerseFormHasTheKeysThatFluxionWrites() throws Exception {
        ResourceGraph graph = Jgf.read(TINY);
        assertThat(graph.pool(2).properties()).containsExactly(Map.entry("ssd", ""), Map.entry("x", "1"));
        assertThat(graph.pool(3).name()).isEqualTo("tiny0");
        assertThat(graph.pool(1).unit()).isEqualTo("GB");
        assertThat(graph.path(0, EdgeKind.CONTAINMENT)).isEqualTo("/tiny0/fluke9/core0");
        JsonNode written = Jgf.toJson(graph, Jgf.Form.TERSE);
        assertThat(asGiven(written, JSON.readTree(TINY))).isEqualTo(JSON.readTree(TINY));
    }

    @ParameterizedTest
    @EnumSource(Jgf.Form.class)
    void everyFormHasTheKeysOfTheRfcAndReadsBackTheSame(Jgf.Form form) {
        ResourceGraph graph = Jgf.read(TINY);
        JsonNode full = Jgf.toJson(graph, form);
        full.at("/graph/nodes").forEach(n -> {
            for (String key :
                    new String[] {"type", "uuid", "basename", "name", "id", "properties", "size", "unit", "paths"}) {
                assertThat(n.get("metadata").has(key)).as(key).isTrue();
            }
        });
        full.at("/graph/edges")
                .forEach(e -> assertThat(e.get("metadata").toString())
                        .isEqualTo("{\"subsystem\":\"containment\",\"relationship\":\"contains\"}"));
        assertThat(Jgf.toJson(Jgf.read(full), form)).isEqualTo(full);
    }

    @Test
    void aGraphOfASetReadsBackAndIsByteStable() throws Exception {
        ResourceGraph graph = ResourceGraph.of(ResourceGraphTest.R, Detail.UNITS)
                .state(Idset.of(1), Extended.UP)
                .state(Idset.of(2), Extended.DRAINED);
        for (Jgf.Form form : Jgf.Form.values()) {
            byte[] first = bytes(graph, form);
            ResourceGraph again = Jgf.read(new ByteArrayInputStream(first));
            assertThat(bytes(again, form)).isEqualTo(first);
            assertThat(again.size()).isEqualTo(graph.size());
        }
    }

    /** Fluxion knows only up and down; a host that is unusable for any reason is written as down. */
    @Test
    void drainedAndExcludedNodesAreWrittenWithStatusDown() {
        ResourceGraph graph = ResourceGraph.of(ResourceGraphTest.R, Detail.NODES)
                .state(Idset.of(1), Extended.DRAINED)
                .state(Idset.of(2), Extended.EXCLUDED)
                .state(Idset.of(3), "degraded")
                .state(Idset.of(4), Extended.UP);
        JsonNode written = Jgf.toJson(graph, Jgf.Form.TERSE);
        assertThat(written.at("/graph/nodes").findValuesAsText("status")).containsExactly("1", "1");
        assertThat(written.at("/graph/nodes").findValuesAsText("state"))
                .containsExactly("drained", "excluded", "degraded");
        assertThat(Jgf.toJson(Jgf.read(written), Jgf.Form.TERSE)).isEqualTo(written);
    }

    private static byte[] bytes(ResourceGraph graph, Jgf.Form form) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Jgf.write(graph, form, out);
        return out.toByteArray();
    }

    @Test
    void aSubsetIncludesAllVerticesAboveIt() {
        ResourceGraph graph = ResourceGraph.of(ResourceGraphTest.R, Detail.POOLS);
        JsonNode subset = Jgf.toJson(graph, Jgf.Form.TERSE, Idset.of(5));
        assertThat(subset.at("/graph/nodes").findValuesAsText("type")).containsExactly("core", "node", "cluster");
        assertThat(subset.at("/graph/edges")).hasSize(2);
        assertThat(Jgf.read(subset).size()).isEqualTo(3);
    }

    private static String document(String metadata, String rest) {
        return "{\"graph\":{\"nodes\":[{\"id\":\"0\",\"metadata\":{\"type\":\"cluster\",\"paths\":{\"containment\":\"/cluster0\"}}},"
                + "{\"id\":\"1\",\"metadata\":{\"type\":\"node\",\"paths\":{\"containment\":\"/cluster0/node1\"}"
                + metadata + "}}"
                + rest;
    }

    /** RFC 20: metadata.properties of a vertex. A property of R is base data of the node, and a tag is extended data. */
    @Test
    void propertiesOfRArePropertiesOfTheVertexAndNoTags() {
        ResourceSet r = ResourceSet.of(
                        Hostlist.parse("node[0-1]"), Idset.range(0, 1), Idset.of(0), Idset.EMPTY, Map.of())
                .withProperty("frame=7", Idset.of(1))
                .withProperty("kind=x", Idset.of(1))
                .withProperty("ssd", Idset.of(1))
                .withScheduling(RawJson.of(
                        Jgf.toJson(Jgf.read(document(",\"properties\":{\"kind\":\"x\"}", EDGE)), Jgf.Form.TERSE)));

        ResourceGraph graph = Structure.of(r, Detail.UNITS).tag(Idset.of(0), "ssd", "slow");

        JsonNode node = Jgf.toJson(graph, Jgf.Form.TERSE).at("/graph/nodes/0/metadata");
        assertThat(node.get("properties")).hasToString("{\"frame=7\":\"\",\"kind\":\"x\",\"ssd\":\"\"}");
        assertThat(node.get("tags")).hasToString("{\"ssd\":\"slow\"}");
        assertThat(graph.property("frame")).containsOnlyKeys("7");
        assertThat(graph.property("ssd")).containsEntry("", Idset.of(0));
        assertThat(Jgf.toJson(Jgf.read(Jgf.toJson(graph, Jgf.Form.TERSE)), Jgf.Form.TERSE))
                .isEqualTo(Jgf.toJson(graph, Jgf.Form.TERSE));
    }

    private static final String EDGE = "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"}]}}";

    @Test
    void documentsThatFluxionAcceptsAreAccepted() {
        ResourceGraph plain = Jgf.read(document("", EDGE));
        assertThat(plain.pool(1).name()).isEqualTo("node1");
        assertThat(Jgf.read(document(",\"properties\":{\"a\":\"\",\"n\":4,\"t\":true}", EDGE))
                        .pool(1)
                        .properties())
                .containsOnly(Map.entry("a", ""), Map.entry("n", "4"), Map.entry("t", "true"));
        assertThat(Jgf.read(document(",\"status\":1", EDGE)).extended(1).state())
                .isEqualTo("down");
        assertThat(Jgf.read(document(",\"name\":\"node77\"", EDGE)).pool(1).id())
                .isEqualTo(77);
        ResourceGraph old = Jgf.read(
                document(
                        "",
                        "],\"edges\":[{\"source\":\"0\",\"target\":\"1\",\"metadata\":{\"name\":{\"containment\":\"contains\"}}}]}}"));
        assertThat(old.parent(1, EdgeKind.CONTAINMENT)).isZero();
        ResourceGraph both = Jgf.read(document(
                "", "],\"edges\":[{\"source\":\"1\",\"target\":\"0\"},{\"source\":\"0\",\"target\":\"1\"}]}}"));
        assertThat(both.root(EdgeKind.CONTAINMENT)).isZero();
        ResourceGraph first = Jgf.read("{\"graph\":{\"edges\":[{\"source\":\"0\",\"target\":\"1\"}],"
                + document("", "]}}").substring(10));
        assertThat(first.parent(1, EdgeKind.CONTAINMENT)).isZero();
    }

    @Test
    void aNumberAsIdIsAcceptedWithAWarning() throws Exception {
        Problems problems = new Problems();
        String numbers = document("", EDGE).replace("\"id\":\"1\"", "\"id\":1");
        assertThat(Jgf.read(new JsonFactory(JSON).createParser(numbers), problems)
                        .size())
                .isEqualTo(2);
        assertThat(problems.isEmpty()).isTrue();
        assertThat(problems.warnings())
                .hasToString("[/graph/nodes/1: id must be a string; the number is read as a string]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                ",\"properties\":null | /graph/nodes/1 (vertex \"1\"): metadata.properties must be a dictionary",
                ",\"properties\":[] | metadata.properties must be a dictionary",
                ",\"properties\":{\"a\":[]} | metadata.properties.a must be a string",
                ",\"size\":-5 | metadata.size must be an integer of 1 or more, not -5",
                ",\"size\":0 | metadata.size must be an integer of 1 or more, not 0",
                ",\"size\":\"2\" | metadata.size must be an integer of 1 or more, not \"2\"",
                ",\"unit\":4 | metadata.unit must be a string",
                ",\"rank\":\"3\" | metadata.rank must be an integer",
            })
    void theExceptionNamesInvalidMetadata(String metadata, String sentence) {
        assertThatThrownBy(() -> Jgf.read(document(metadata, EDGE)))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining(sentence);
    }

    /** R would lose such a string, because no reader of R takes it. */
    @Test
    void stringsAndKeysThatRCannotHaveAreRefusedWithTheirPlace() {
        String vertex = "{\"id\":\"1\",\"metadata\":{\"type\":\"n\u007fde\",\"paths\":{\"containment\":\"/n0\"}}}";
        assertThatThrownBy(() -> Jgf.read("{\"graph\":{\"nodes\":[" + vertex + "],\"edges\":[],\"a\\u0001\":1}}"))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining("/graph/nodes/0/metadata/type: has the character")
                .hasMessageContaining("/graph/a")
                .hasMessageContaining("the key has the character");
        String many = "\"\u007f\",".repeat(150) + "0";
        assertThatThrownBy(() -> Jgf.read("{\"graph\":{\"nodes\":[],\"edges\":[],\"a\":[" + many + "]}}"))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining("/graph/a/99: has the character")
                .hasMessageEndingWith("; and 50 more");
    }

    @Test
    void aStoredVertexMayHaveTheSize0() throws Exception {
        JsonNode stored = JSON.readTree(document(",\"size\":0", EDGE));
        assertThat(Jgf.toJson(Jgf.read(stored), Jgf.Form.TERSE).toString()).contains("\"size\":0");
    }

    @Test
    void keysOfOtherWritersAreKeptInTheWholeGraphAndInASubset() throws Exception {
        String foreign = """
                {"writer":"somebody","graph":{"directed":true,"label":"tiny","metadata":{"v":1.10},"nodes":[
                  {"id":"1","label":"n","metadata":{"type":"node","id":1,"rank":-1,"tags":["a","b"],"scheduler":7,"state":3,
                   "power":1e300,"paths":{"containment":"/cluster0/node1"}}},
                  {"id":"2","metadata":{"type":"node","id":2,"rank":-1,"status":1,"state":"drained","tags":{"k":1},
                   "paths":{"containment":"/cluster0/node2"}}},
                  {"id":"0","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/cluster0"}}}],
                 "edges":[
                  {"source":"0","target":"1","relation":"has","directed":true,"label":"e","metadata":{"z":1,"a":[2],"m":null}},
                  {"source":"0","target":"2","directed":1}]}}
                """;
        ResourceGraph graph = Jgf.read(foreign);
        String written = Jgf.toJson(graph, Jgf.Form.TERSE).toString();
        assertThat(written).contains("1.10", "\"z\":1,\"a\":[2],\"m\":null");
        JsonNode expected = Jgf.JSON.readTree(foreign);
        assertThat(asGiven(Jgf.JSON.readTree(written), expected)).isEqualTo(expected);
        assertThat(Jgf.toJson(Jgf.read(written), Jgf.Form.TERSE)).hasToString(written);
        JsonNode subset = Jgf.toJson(graph.tag(Idset.of(0), "mine", ""), Jgf.Form.TERSE, Idset.of(1));
        assertThat(subset.get("writer")).isEqualTo(expected.get("writer"));
        assertThat(subset.at("/graph/metadata")).isEqualTo(expected.at("/graph/metadata"));
        assertThat(subset.at("/graph/nodes/0/metadata/tags")).isEqualTo(expected.at("/graph/nodes/1/metadata/tags"));
        assertThat(subset.at("/graph/edges/0/directed")).isEqualTo(expected.at("/graph/edges/1/directed"));
    }

    /** Output of Fluxion 0.54: post-order, defaults left out, a subsystem on power edges only, and maps that Fluxion adds. */
    @Test
    void aGraphOfFluxionWithTwoSubsystemsIsWrittenUnchanged() throws Exception {
        String fluxion = """
                {"graph":{"nodes":[
                  {"id":"5","metadata":{"type":"core","id":0,"rank":0,"exclusive":true,"paths":{"containment":"/c0/r0/n0/core0"}}},
                  {"id":"4","metadata":{"type":"node","basename":"n","id":0,"rank":0,"exclusive":true,"ephemeral":{"k":"v"},
                   "paths":{"containment":"/c0/r0/n0","power":"/p0/n0"}}},
                  {"id":"3","metadata":{"type":"rack","basename":"r","id":0,"rank":-1,"agfilter":{"core":4},
                   "paths":{"containment":"/c0/r0"}}},
                  {"id":"1","metadata":{"type":"cluster","basename":"c","id":0,"rank":-1,"paths":{"containment":"/c0"}}},
                  {"id":"2","metadata":{"type":"pdu","basename":"p","id":0,"rank":-1,"size":900,"unit":"W","paths":{"power":"/p0"}}}],
                 "edges":[{"source":"1","target":"3"},{"source":"3","target":"4"},{"source":"4","target":"5"},
                  {"source":"2","target":"4","metadata":{"subsystem":"power"}}]}}
                """;
        JsonNode given = Jgf.JSON.readTree(fluxion);
        assertThat(asGiven(Jgf.toJson(Jgf.read(fluxion), Jgf.Form.TERSE), given))
                .isEqualTo(given);
    }

    /**
     * Paths of a vertex that is elsewhere by its edges, of a vertex in a subsystem that no edge names, and of a vertex without
     * edges.
     */
    @Test
    void pathsOfTheDocumentAreKept() throws Exception {
        String given = """
                {"graph":{"nodes":[
                  {"id":"2","metadata":{"type":"node","id":0,"rank":-1,"paths":{"containment":"/c0/rack7/node0","power":"/pdu3/node0"}}},
                  {"id":"3","metadata":{"type":"node","id":1,"rank":-1,"paths":{"containment":"/c0/node1"}}},
                  {"id":"4","metadata":{"type":"node","id":2,"rank":-1,"paths":{}}},
                  {"id":"5","metadata":{"type":"node","id":3,"rank":-1,"paths":{"containment":"/c0/other"}}},
                  {"id":"1","metadata":{"type":"cluster","id":0,"rank":-1,"paths":{"containment":"/c0"}}}],
                 "edges":[{"source":"1","target":"2"},{"source":"1","target":"3"},{"source":"1","target":"4"},
                  {"source":"1","target":"5"}]}}
                """;
        ResourceGraph graph = Jgf.read(given);
        assertThat(asGiven(Jgf.toJson(graph, Jgf.Form.TERSE), JSON.readTree(given)))
                .isEqualTo(JSON.readTree(given));
        assertThat(graph.path(0, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/node0");
        JsonNode subset = Jgf.toJson(graph.state(Idset.of(0), "down"), Jgf.Form.FULL, Idset.of(0));
        assertThat(subset.at("/graph/nodes/0/metadata/paths/power").textValue()).isEqualTo("/pdu3/node0");
        assertThat(subset.at("/graph/nodes/1/metadata/paths/containment").textValue())
                .isEqualTo("/c0");
    }

    /** RFC 20 of 2023 has no paths among a vertex's keys; Fluxion needs them, so they are written. */
    @Test
    void aGraphWithoutPathsIsReadAndWrittenWithPaths() {
        String none = """
                {"graph":{"nodes":[
                  {"id":"a","metadata":{"type":"cluster","uuid":"u0","basename":"tiny","name":"tiny0","id":0,"properties":{},"size":1,"unit":""}},
                  {"id":"b","metadata":{"type":"node","uuid":"u1","basename":"n","name":"n0","id":0,"properties":{"ssd":""},"size":1,"unit":""}}],
                 "edges":[{"source":"a","target":"b","metadata":{"subsystem":"containment","relationship":"contains"}},
                  {"source":"b","target":"a","metadata":{"subsystem":"containment","relationship":"in"}}]}}
                """;
        JsonNode full = Jgf.toJson(Jgf.read(none), Jgf.Form.FULL);
        assertThat(full.at("/graph/nodes/0/metadata/paths")).hasToString("{\"containment\":\"/tiny0/n0\"}");
        assertThat(full.at("/graph/nodes/0/metadata/uuid").textValue()).isEqualTo("u1");
        assertThat(full.at("/graph/edges/1/metadata/relationship").textValue()).isEqualTo("in");
        assertThat(Jgf.toJson(Jgf.read(full), Jgf.Form.FULL)).isEqualTo(full);
    }

    @Test
    void pathsMustBeADictionaryOfStringsAndTheTypeMustNotBeEmpty() {
        String none = document("", EDGE).replace("\"paths\":{\"containment\":\"/cluster0/node1\"}", "\"paths\":null");
        assertThatThrownBy(() -> Jgf.read(none)).hasMessageContaining("metadata.paths must be a dictionary");
        String number = document("", EDGE).replace("\"/cluster0/node1\"", "1");
        assertThatThrownBy(() -> Jgf.read(number))
                .hasMessageContaining("/graph/nodes/1 (vertex \"1\"): metadata.paths.containment must be a string");
        String untyped = document("", EDGE).replace("\"type\":\"node\"", "\"type\":\"\"");
        assertThatThrownBy(() -> Jgf.read(untyped)).hasMessageContaining("metadata.type must be a non-empty string");
    }

    @Test
    void hierarchiesThatAreTooDeepAreRefused() {
        StringBuilder nodes = new StringBuilder();
        StringBuilder edges = new StringBuilder();
        for (int i = 0; i < 30_000; i++) {
            String lead = i == 0 ? "" : ",";
            nodes.append(lead)
                    .append("{\"id\":\"")
                    .append(i)
                    .append("\",\"metadata\":{\"type\":\"box\",\"paths\":{}}}");
            edges.append(i < 2 ? "" : ",")
                    .append(i == 0 ? "" : "{\"source\":\"" + (i - 1) + "\",\"target\":\"" + i + "\"}");
        }
        assertThatThrownBy(() -> Jgf.read("{\"graph\":{\"nodes\":[" + nodes + "],\"edges\":[" + edges + "]}}"))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining("containment is deeper than 100 levels at \"100\" (box100)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                ",{\"id\":\"2\",\"metadata\":{\"type\":\"a\",\"paths\":{}}},{\"id\":\"3\",\"metadata\":{\"type\":\"a\",\"paths\":{}}}],\"edges\":[{\"source\":\"0\",\"target\":\"1\"},{\"source\":\"2\",\"target\":\"3\"},{\"source\":\"3\",\"target\":\"2\"}]}} | containment runs in a circle at \"2\" (a2)",
                "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"}]},\"graph\":{}} | /graph: is given twice",
                "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"}],\"edges\":[]}} | /graph/edges: is given twice",
                "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"}]}} {} | something follows the document",
                "],\"edges\":[{\"source\":\"0\",\"source\":\"1\"}]}} | not JSON: Duplicate field 'source'",
                "],\"edges\":[{\"source\":\"0\",\"target\":\"7\"}]}} | /graph/edges/0/target: there is no vertex \"7\"",
                "],\"edges\":[{\"source\":\"0\"}]}} | /graph/edges/0/target: is missing",
                "],\"edges\":[{\"source\":\"0\",\"target\":\"1\"},{\"source\":\"0\",\"target\":\"1\"}]}} | the edge 0 -> 1 is given twice",
                "]}} | /graph/edges: is missing",
                "],\"edges\":{}}} | /graph/edges: must be a list",
                ",{\"id\":\"1\",\"metadata\":{\"type\":\"node\",\"paths\":{}}}],\"edges\":[]}} | the id is already taken",
                ",{\"metadata\":{\"type\":\"node\",\"paths\":{}}}],\"edges\":[]}} | id is missing",
                ",7],\"edges\":[]}} | /graph/nodes/2: must be a dictionary",
                ",{\"id\":\"2\",\"metadata\":{\"type\":\"a\",\"paths\":{}}},{\"id\":\"3\",\"metadata\":{\"type\":\"a\",\"paths\":{}}}],\"edges\":[{\"source\":\"0\",\"target\":\"1\"},{\"source\":\"2\",\"target\":\"3\"}]}} | containment has two roots",
            })
    void badGraphsAreRefused(String rest, String sentence) {
        assertThatThrownBy(() -> Jgf.read(document("", rest)))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "[] | must be a dictionary with the key graph",
                "{} | graph is missing",
                "{\"graph\":{\"nodes\":[],\"edges\":[]}} | must list at least one vertex",
                "{\"graph\":{\"nodes\":[],\"edges\":[{\"source\":\"0\",\"target\":\"1\"}]}} | must list at least one vertex",
                "{\"graph\":{\"edges\":[{\"source\":\"0\",\"target\":\"1\"}]}} | /graph/nodes: is missing",
                "{\"graph\":{\"nodes\":{},\"edges\":[]}} | /graph/nodes: must be a list",
                "{\"graph\": | line 1: not JSON",
                "~~ | must be a dictionary",
            })
    void brokenDocumentsAreRefused(String text, String sentence) {
        assertThatThrownBy(() -> Jgf.read(text == null ? "" : text))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining(sentence);
    }

    @Seeds
    void everyGraphSurvivesBothForms(Random random) throws Exception {
        ResourceGraph graph = random(random);
        for (Jgf.Form form : Jgf.Form.values()) {
            byte[] first = bytes(graph, form);
            ResourceGraph again = Jgf.read(new String(first, StandardCharsets.UTF_8));
            assertThat(bytes(again, form)).isEqualTo(first);
            if (form == Jgf.Form.TERSE) {
                assertThat(meaning(again)).isEqualTo(meaning(graph));
            }
        }
    }

    private static ResourceGraph random(Random random) throws Exception {
        ResourceGraph.Builder b = ResourceGraph.builder();
        int size = 2 + random.nextInt(12);
        for (int v = 0; v < size; v++) {
            TreeMap<String, String> properties = new TreeMap<>();
            if (random.nextInt(3) == 0) {
                properties.put("p" + random.nextInt(3), random.nextBoolean() ? "" : "v");
            }
            PoolKind kind = new PoolKind(
                    "t" + random.nextInt(3),
                    random.nextBoolean() ? "b" : "c",
                    1 + random.nextInt(3),
                    random.nextBoolean() ? "" : "GB",
                    properties);
            long id = random.nextInt(4) - 1L;
            Map<String, JsonNode> more =
                    random.nextInt(3) == 0 ? Map.of("k", JSON.readTree("[1,{\"a\":null}]")) : Map.of();
            Pool pool = random.nextBoolean()
                    ? new Pool(kind, id, "n" + v, more)
                    : new Pool(kind, id, Pool.of(kind, id).name(), more);
            b.vertex(random.nextBoolean() ? "v" + v : Integer.toString(v * 7), pool, random.nextInt(3) - 1);
            if (v > 0) {
                b.edge(random.nextInt(v), v, EdgeKind.contains());
            }
            if (random.nextInt(4) == 0) {
                b.extended(
                        v,
                        Extended.NONE
                                .withState(random.nextBoolean() ? "down" : "degraded")
                                .withTag("t", "")
                                .withScheduler("s", JSON.readTree("3")));
            }
        }
        for (int v = 1; v < size; v++) {
            b.edge(
                    v - 1,
                    v,
                    new EdgeKind(
                            "power", EdgeKind.CONDUIT_OF, random.nextBoolean(), Map.of("cap", JSON.readTree("9"))));
        }
        return b.build();
    }
}
