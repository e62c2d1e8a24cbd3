package io.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.cli.Shell.Result;
import io.muster.cli.terminal.Exit;
import io.muster.daemon.RunningDaemon;
import io.muster.inventory.find.Expression;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Walker;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.client.FluxClient;
import io.muster.protocol.client.Options;
import io.muster.protocol.rpc.RpcException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verb find and targets with expressions, against a daemon of two racks of two nodes, of which node3 is offline. */
class FindTest {
    @TempDir
    private static Path directory;

    private static RunningDaemon daemon;

    @BeforeAll
    static void startDaemon() throws Exception {
        Path r = Files.write(directory.resolve("R.json"), racks().toBytes());
        daemon = RunningDaemon.start(directory, "[resource]\npath = \"" + r + "\"\n");
        assertThat(muster("offline", "node3", "psu").exit()).isZero();
    }

    @AfterAll
    static void stopDaemon() {
        daemon.close();
    }

    private static ResourceSet racks() {
        ResourceGraph.Builder builder = ResourceGraph.builder();
        int cluster = vertex(builder, "cluster", 0, 1, -1);
        int pdu = vertex(builder, "pdu", 0, 40, -1);
        int feed = vertex(builder, "feed", 1, 40, -1);
        for (int rack = 0; rack < 2; rack++) {
            int holder = vertex(builder, "rack", rack, 1, -1);
            builder.edge(cluster, holder, EdgeKind.contains());
            if (rack == 1) {
                builder.edge(feed, holder, EdgeKind.of("power", EdgeKind.CONDUIT_OF));
            }
            for (int rank = 2 * rack; rank < 2 * rack + 2; rank++) {
                int node = vertex(builder, "node", rank, 1, rank);
                builder.edge(holder, node, EdgeKind.contains());
                builder.edge(node, vertex(builder, "core", 0, 1, rank), EdgeKind.contains());
                builder.edge(node, vertex(builder, "memory", 0, Math.max(1, 16L * rank), rank), EdgeKind.contains());
                if (rank % 2 == 0) {
                    builder.edge(pdu, node, EdgeKind.of("power", EdgeKind.CONTAINS));
                }
            }
        }
        return ResourceSet.of(
                        Hostlist.parse("node[0-3]"),
                        Idset.range(0, 3),
                        Idset.of(0),
                        Idset.EMPTY,
                        Map.of("ssd", Idset.of(1)))
                .withScheduling(Jgf.toJson(builder.build(), Jgf.Form.FULL));
    }

    private static int vertex(ResourceGraph.Builder builder, String type, int id, long size, int rank) {
        PoolKind kind = new PoolKind(type, type, size, type.equals("memory") ? "GB" : "", new TreeMap<>());
        return builder.vertex(type + id + "-" + rank, Pool.of(kind, id), rank);
    }

    private static Result muster(String... arguments) {
        return typing("", arguments);
    }

    private static Result typing(String input, String... arguments) {
        return new Shell()
                .with("MUSTER_URI", daemon.uri())
                .with("LC_ALL", "C.UTF-8")
                .typing(input)
                .run(arguments);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "rack                              | /cluster0/rack0 /cluster0/rack1",
                "--count memory                    | 4",
                "--hosts node in rack1             | node[2-3]",
                "--hosts rack1                     | node[2-3]",
                "--ranks memory.size>=32GB         | 2-3",
                "--hosts node in power:pdu0        | node[0,2]",
                "--hosts node in power:feed1       | node[2-3]",
                "--hosts power:feed1               | node[2-3]",
                "power:(feed has node3)            | power:/feed1",
                "--count core in power:feed1       | 2",
                "--hosts state=down                | node3",
                "--hosts property=ssd              | node1",
                "power:pdu                         | power:/pdu0",
                "--best 2 by size memory           | 48000000000 /cluster0/rack1/node3/memory0 32000000000 /cluster0/rack1/node2/memory0",
                "--order=pre --from=/cluster0/rack0 --prune=node1 size>=0 | /cluster0/rack0 /cluster0/rack0/node0 /cluster0/rack0/node0/core0 /cluster0/rack0/node0/memory0 /cluster0/rack0/node1",
                "--order=post --prune=node --subsystem=power size>=0 | power:/pdu0/node0 power:/pdu0/node2 power:/pdu0 power:/feed1/rack1 power:/feed1",
                "--count type=tape                 | 0",
            })
    void findPrintsTheMatchesInTheRequestedForm(String line, String out) {
        Result result = muster(("find " + line).split(" ", -1));
        assertThat(result.out().strip().replace('\n', ' ')).as(result.err()).isEqualTo(out);
        assertThat(result.exit()).isZero();
    }

    @Test
    void jsonHasAllFieldsAndJgfHasTheMatchesWithTheirAncestors() throws Exception {
        JsonNode json = new JsonMapper()
                .readTree(muster("find", "--json", "--best", "1", "by", "rank", "node in rack1")
                        .out());
        assertThat(json.path("count").asInt()).isEqualTo(1);
        assertThat(json.path("hosts").asText()).isEqualTo("node3");
        assertThat(json.path("paths").get(0).asText()).isEqualTo("/cluster0/rack1/node3");
        assertThat(json.path("scores").get(0).asDouble()).isEqualTo(3);
        ResourceGraph graph =
                Jgf.read(muster("find", "--jgf", "memory in node2").out());
        List<String> names = new ArrayList<>();
        Walker.of(graph, EdgeKind.CONTAINMENT)
                .walk(visit -> names.add(visit.pool().name()));
        assertThat(names).containsExactly("memory0", "node2", "rack1", "cluster0");
    }

    @Test
    void aSyntaxErrorOfAnExpressionIsMarkedWithACaret() {
        assertThat(muster("find", "gpu and (node")).isEqualTo(new Result(Exit.USAGE, "", """
                        muster find: expression: this parenthesis is not closed
                          gpu and (node
                                  ^
                        """));
        assertThat(muster("find", "--best", "10", "size", "node").exit()).isEqualTo(Exit.USAGE);
        assertThat(muster("find", "--count", "--hosts", "node").exit()).isEqualTo(Exit.USAGE);
        assertThat(muster("find", "--order=up", "node").exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void everyExpressionOfTheDocumentParses() throws Exception {
        List<String> rows = Files.readAllLines(Path.of("../docs/find.md")).stream()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring(3, line.indexOf('`', 3)))
                .toList();
        assertThat(rows).hasSizeGreaterThan(7);
        rows.forEach(row -> assertThat(Expression.parse(row)).hasToString(row));
    }

    @Test
    void anUnknownPathOrNameIsRefusedWithItsPosition() {
        Result result = muster("find", "node in /cluster0/rack7");
        assertThat(result.exit()).isEqualTo(Exit.NO_TARGET);
        assertThat(result.err()).isEqualTo("""
                        muster find: expression: there is no path /cluster0/rack7 in subsystem containment
                          node in /cluster0/rack7
                                  ^
                        """);
        assertThat(muster("find", "--prune=rakc0", "node").err()).contains("  rakc0\n  ^\n");
        assertThat(muster("drain", "@{node in rack7}", "x").err()).contains("no name rack7 at position 8");
    }

    @Test
    void theFindServiceRefusesUnknownKeysAndOversizedExpressions() throws Exception {
        try (FluxClient client = FluxClient.connect(daemon.uri(), Options.DEFAULT)) {
            assertThatThrownBy(() -> client.rpc(
                            "resource.find", json().put("expr", "node").put("colour", "red")))
                    .isInstanceOf(RpcException.class)
                    .hasMessageContaining("/colour is not a key of this request");
            assertThatThrownBy(() -> client.rpc("resource.find", json().put("expr", "(".repeat(10_000))))
                    .hasMessageContaining("nested deeper than 100 levels");
            assertThatThrownBy(() -> client.rpc("resource.find", json().put("expr", "x".repeat(1 << 19))))
                    .hasMessageContaining("longer than 65536 characters");
            assertThatThrownBy(() -> client.rpc(
                            "resource.find", json().put("expr", "node").put("best", 3)))
                    .hasMessageContaining("/by must be given with /best");
            assertThat(client.rpc("resource.find", json().put("expr", "node")).fieldNames())
                    .toIterable()
                    .containsExactly("schema_version", "count", "ranks", "hosts", "seq");
        }
    }

    private static ObjectNode json() {
        return JsonNodeFactory.instance.objectNode();
    }

    @Test
    void targetsMayBeExpressions() {
        assertThat(muster("drain", "--dry-run", "@{node in power:pdu0}", "breaker")
                        .out())
                .startsWith("would drain node[0,2]");
        for (String rack : List.of("@{node in power:feed1}", "@{power:feed1}")) {
            assertThat(muster("drain", "--dry-run", rack, "breaker").out()).startsWith("would drain node[2-3]");
        }
        assertThat(muster("drain", "@{memory in rack0}", "dimm").exit()).isZero();
        assertThat(muster("find", "--hosts", "state=drained").out()).isEqualTo("node[0-1]\n");
        assertThat(muster("status", "-no", "{state} {nodelist}", "-s", "drained", "@{state=drained}")
                        .out())
                .isEqualTo("drained node[0-1]\n");
        assertThat(muster("undrain", "/cluster0/rack0").exit()).isZero();
        assertThat(typing("@{property=ssd}\nnode2\n", "exclude", "-").exit()).isZero();
        assertThat(muster("find", "--hosts", "state=excluded").out()).isEqualTo("node[1-2]\n");
        assertThat(muster("drain", "@{node in rack0}", "only", "members").exit())
                .isZero();
        assertThat(muster("find", "--hosts", "state=drained").out()).isEqualTo("node0\n");
        assertThat(muster("undrain", "node0").exit()).isZero();
        assertThat(muster("include", "@{state=excluded}").exit()).isZero();
        assertThat(muster("why", "@{node and rank=2}").out()).startsWith("node2 (rank 2): available");
    }

    @Test
    void aListOfTargetsMayMixHostsAndExpressions() {
        assertThat(muster("drain", "--dry-run", "node3,@{name='node0'},@{node in rack1 and rank=2}", "x")
                        .out())
                .startsWith("would drain node[0,2-3]");
        assertThat(muster("history", "--since", "1h", "/cluster0/rack0").exit()).isZero();
    }

    @Test
    void aTargetExpressionThatMatchesNoHostChangesNothing() {
        Result none = muster("drain", "@{node and state=lost}", "x");
        assertThat(none.exit()).isEqualTo(Exit.NO_TARGET);
        assertThat(none.err()).contains("finds no host");
        assertThat(muster("drain", "@{node in rack9}", "x").err()).contains("there is no type and no name rack9");
        assertThat(muster("drain", "rack1", "x").err())
                .endsWith("  nothing was changed; '@{rack1}' stands for 2 hosts\n");
        assertThat(muster("drain", "@{node", "x").err()).contains("the brace is not closed");
        assertThat(muster("drain", "@{node and}", "x").err()).contains("expected a term at position 8");
    }
}
