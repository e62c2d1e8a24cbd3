package io.muster.inventory.rset;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.axis.Remap;
import io.muster.inventory.graph.Agreement;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.RawJson;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.state.DefinitionChanges.Defined;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.StateJson;
import io.muster.testing.Nasty;
import io.muster.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** R whose key {@code scheduling} is kept as text behaves as R whose key is a tree. */
class RawSchedulingPropsTest {
    private static final int HOSTS = 4;

    /** Jackson's own reader, which is the model. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static String r(String scheduling) {
        return "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\",\"children\":{\"core\":\"0-1\"}}],\"starttime\":0.0,"
                + "\"expiration\":0.0,\"nodelist\":[\"n[0-3]\"]},\"scheduling\":" + scheduling + "}";
    }

    private static RawJson raw(ResourceSet set) {
        return Objects.requireNonNull(set.scheduling());
    }

    /** A graph as Fluxion writes it, with keys and values that only its writer knows; sometimes the edges come first. */
    private static String graph(Random random) {
        List<String> nodes = new ArrayList<>();
        List<String> edges = new ArrayList<>();
        nodes.add(vertex(0, "cluster", "c", -1, "/c0", random));
        for (int rank = 0; rank < HOSTS; rank++) {
            int host = nodes.size();
            nodes.add(vertex(host, "node", "n" + rank, rank, "/c0/n" + rank, random));
            edges.add(edge(0, host));
            for (int core = 0; core < 2; core++) {
                edges.add(edge(host, nodes.size()));
                nodes.add(vertex(nodes.size(), "core", "core" + core, rank, "/c0/n" + rank + "/core" + core, random));
            }
        }
        String listed = "\"nodes\":[" + String.join(", ", nodes) + "]";
        String joined = "\"edges\":[" + String.join(",\n", edges) + "]";
        return "{\"graph\": {" + (random.nextBoolean() ? listed + " ," + joined : joined + "," + listed)
                + (random.nextBoolean() ? ",\"more\":[[1.50,{}],\"\ud83d\ude00\"]" : "") + "}}";
    }

    private static String vertex(int id, String type, String name, int rank, String path, Random random) {
        return "{\"id\":\"" + id + "\",\"metadata\":{\"type\":\"" + type + "\",\"basename\":\""
                + name.replaceAll("\\d", "") + "\",\"name\":\"" + name + "\",\"rank\":" + rank
                + (random.nextInt(4) == 0 ? ",\"x\":{\"y\":" + random.nextInt(9) + ".10}" : "")
                + ",\"paths\":{\"containment\":\"" + path + "\"}}}";
    }

    private static String edge(int source, int target) {
        return "{\"source\":\"" + source + "\",\"target\":\"" + target + "\"}";
    }

    private static @Nullable JsonNode tree(byte[] json, Problems problems) {
        return StrictJson.read(json, problems);
    }

    @Seeds(share = 0.4)
    void textAndTreeGiveTheSameR(Random random) {
        byte[] json =
                r(random.nextBoolean() ? graph(random) : Nasty.value(random, 4)).getBytes(UTF_8);
        Problems problems = new Problems();
        JsonNode tree = tree(json, problems);
        Problems found = new Problems();
        ResourceSet set = ResourceSet.parse(json, found);

        assertThat(found.errors()).isEqualTo(problems.errors());
        if (tree != null && set != null && set.scheduling() != null) {
            JsonNode scheduling = tree.get("scheduling");
            assertThat(raw(set)).hasToString(scheduling.toString());
            assertThat(raw(set).tree()).isEqualTo(scheduling);
            assertThat(set.toString()).isEqualTo(tree.toString()).isEqualTo(new String(set.toBytes(), UTF_8));
            assertThat(set.toJson()).isEqualTo(tree);
            assertThat(ResourceSet.parse(tree)).isEqualTo(set);
            assertThat(ResourceSet.parse(set.toBytes())).isEqualTo(set).hasSameHashCodeAs(set);
            scheduling.properties().forEach(member -> {
                JsonNode kept = raw(set).outline().get(member.getKey());
                assertThat(kept.getNodeType()).isEqualTo(member.getValue().getNodeType());
                assertThat(kept.isContainerNode() ? kept.size() : kept)
                        .isEqualTo(kept.isContainerNode() ? 0 : member.getValue());
            });
        }
    }

    /** All faults are found at the same places as in a tree. */
    @Seeds(share = 0.4)
    void theFaultsInTheTextAreThoseOfTheTree(Random random) {
        byte[] json =
                r(random.nextBoolean() ? graph(random) : Nasty.value(random, 4)).getBytes(UTF_8);
        for (int i = random.nextInt(3); i >= 0; i--) {
            json[random.nextInt(json.length)] = (byte) random.nextInt(256);
        }
        Problems problems = new Problems();
        Problems found = new Problems();
        JsonNode tree = tree(json, problems);
        JsonNode read = StrictJson.read(json, "scheduling", found);

        assertThat(found.errors()).isEqualTo(problems.errors());
        assertThat(read == null).isEqualTo(tree == null);
    }

    @Seeds(share = 0.4)
    void journalAndSnapshotKeepScheduling(Random random) throws IOException {
        ResourceSet set = ResourceSet.parse(r(graph(random)));
        Entry entry = new Entry(1, 10, Principal.DAEMON, new Defined("reload", set, Liveness.Status.ONLINE));
        byte[] line = entry.toBytes();
        ObjectNode read = (ObjectNode) StrictJson.stored(line);
        assertThat(RawJson.in(read.at("/context/R/scheduling"))).isEqualTo(set.scheduling());
        assertThat(Entry.parse(read.put("seq", 1))).isEqualTo(entry);

        InventoryState state = entry.applyTo(InventoryState.empty());
        byte[] snapshot = StateJson.toBytes(state);
        InventoryState again = StateJson.parse(StrictJson.stored(snapshot));
        assertThat(again.resources()).isEqualTo(set);
        assertThat(StateJson.toBytes(again)).isEqualTo(snapshot);
        assertThat(StateJson.parse(MAPPER.readTree(snapshot)).resources()).isEqualTo(set);
    }

    @Seeds(share = 0.4)
    void aJournalMayHaveWhatARequestMayHave(Random random) throws IOException {
        byte[] json = ("{\"R\":" + r(Nasty.value(random, 4)) + "}").getBytes(UTF_8);
        JsonNode expected = tree(json, new Problems());
        if (expected == null) {
            assertThatThrownBy(() -> StrictJson.stored(json)).isInstanceOf(IOException.class);
        } else {
            JsonNode scheduling = expected.at("/R/scheduling");
            RawJson raw = RawJson.in(StrictJson.stored(json).at("/R/scheduling"));
            assertThat(raw == null ? null : raw.tree()).isEqualTo(scheduling.isObject() ? scheduling : null);
        }
    }

    @Seeds(share = 0.4)
    void theGraphAndThePrunedGraphEqualThoseOfTheTree(Random random) {
        ResourceSet set = ResourceSet.parse(r(graph(random)));
        ObjectNode tree = (ObjectNode) raw(set).tree();
        Problems problems = new Problems();
        Agreement.check(set, problems);
        assertThat(problems.errors()).isEmpty();
        assertThat(Jgf.toJson(Structure.of(set, Detail.UNITS), Jgf.Form.FULL))
                .isEqualTo(Jgf.toJson(Jgf.read(tree.toString()), Jgf.Form.FULL));

        int lost = random.nextInt(HOSTS);
        ResourceSet left = set.prune(Idset.of(lost)).resources();
        assertThat(raw(left).tree()).isEqualTo(without(tree, 1 + 3 * lost));
        assertThat(Remap.between(set, set.withScheduling(raw(set).tree())).untold())
                .isEmpty();
        assertThat(Remap.between(set, left.union(set.keep(Idset.of(lost)))).untold())
                .contains("the key scheduling");
    }

    /** Returns a graph without a host and the two cores that follow it. */
    private static ObjectNode without(ObjectNode scheduling, int host) {
        ObjectNode graph = (ObjectNode) scheduling.get("graph");
        var nodes = JsonNodeFactory.instance.arrayNode();
        graph.get("nodes").forEach(node -> {
            int id = node.get("id").asInt();
            if (id < host || id > host + 2) {
                nodes.add(node);
            }
        });
        var edges = JsonNodeFactory.instance.arrayNode();
        graph.get("edges").forEach(edge -> {
            int target = edge.get("target").asInt();
            if (target < host || target > host + 2) {
                edges.add(edge);
            }
        });
        graph.set("nodes", nodes);
        graph.set("edges", edges);
        return scheduling;
    }
}
