package io.muster.inventory.find;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.MalformedException;
import io.muster.inventory.rset.ResourceSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two racks of two nodes under two PDUs; node0 and node1 are in rack0. */
class ExpressionTest {
    private static final ResourceSet R = ResourceSet.of(
            Hostlist.parse("node[0-3]"),
            Idset.range(0, 3),
            Idset.of(0),
            Idset.EMPTY,
            Map.of(
                    "batch",
                    Idset.of(1, 2),
                    "slots=4",
                    Idset.of(0),
                    "slots=12",
                    Idset.of(1, 2),
                    "slots=3",
                    Idset.of(1),
                    "slots",
                    Idset.of(3)));
    private static final ResourceGraph GRAPH = graph();

    private static ResourceGraph graph() {
        ResourceGraph.Builder builder = ResourceGraph.builder();
        int cluster = vertex(builder, "cluster", 0, 1, "", -1);
        int power = vertex(builder, "power", 0, 1, "", -1);
        for (int rack = 0; rack < 2; rack++) {
            int holder = vertex(builder, "rack", rack, 1, "", -1);
            int pdu = vertex(builder, "pdu", rack, 30 + rack, "kW", -1);
            builder.edge(cluster, holder, EdgeKind.contains()).edge(power, pdu, EdgeKind.of("power", "contains"));
            for (int i = 0; i < 2; i++) {
                int rank = 2 * rack + i;
                int node = vertex(builder, "node", rank, 1, "", rank);
                builder.edge(holder, node, EdgeKind.contains()).edge(pdu, node, EdgeKind.of("power", "contains"));
                builder.edge(node, vertex(builder, "gpu", 0, 1, "", rank), EdgeKind.contains());
                builder.edge(node, vertex(builder, "ssd", 0, 800L + 200L * rank, "GB", rank), EdgeKind.contains());
            }
        }
        ResourceGraph graph = builder.build().withProperties(R);
        Idset nodes = graph.ofKind(kind -> kind.type().equals("node"));
        return graph.tag(Idset.of(nodes.nth(0)), "firmware", "7.1")
                .tag(Idset.of(nodes.nth(1)), "firmware", "7.2")
                .tag(Idset.of(nodes.nth(1)), "note", "a b")
                .state(
                        graph.named(java.util.Set.of("gpu0"))
                                .intersect(graph.below(Idset.of(nodes.nth(2)), "containment")),
                        "failing")
                .extend(Idset.of(nodes.nth(3)), data -> data.withCondition("drained"))
                .scheduler(
                        Idset.of(nodes.nth(2)),
                        "flux.jobs",
                        JsonNodeFactory.instance.objectNode().put("count", 3));
    }

    private static int vertex(ResourceGraph.Builder builder, String type, int id, long size, String unit, int rank) {
        PoolKind kind =
                new PoolKind(type, type, size, unit, new TreeMap<>(Map.of("maker", type.equals("gpu") ? "x1" : "y")));
        return builder.vertex(type + id + "-" + rank, Pool.of(kind, id), rank);
    }

    @Test
    void aPropertyIsNoTag() {
        assertThat(found("tag.batch or tag.slots or tag.maker")).isEmpty();
        assertThat(found("property.batch and node")).isEqualTo("node1 node2");
    }

    private static String found(String expression) {
        Search search = Search.all(Expression.parse(expression));
        List<String> paths = new ArrayList<>();
        search.in(GRAPH, R)
                .vertices()
                .forEach(v -> paths.add(
                        search.path(GRAPH, v).replace("/cluster0/", "").replaceAll("rack[01]/node", "node")));
        return String.join(" ", paths);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "rack                            | rack0 rack1",
                "node2                           | node2",
                "gpu in rack1                    | node2/gpu0 node3/gpu0",
                "gpu in /cluster0/rack1/node2    | node2/gpu0",
                "node in (rack0 or rack1)        | node0 node1 node2 node3",
                "node in power:pdu1              | node2 node3",
                "node in from:power pdu1         | node2 node3",
                "node in power:/power0/pdu1      | node2 node3",
                "node in power:(pdu and size>30) | node2 node3",
                "node in power:pdu.size>=30.5kW  | node2 node3",
                "power:pdu                       | power:/power0/pdu0 power:/power0/pdu1",
                "node has ssd.size>=1.2TB        | node2 node3",
                "node has (ssd and size<1TB)     | node0",
                "rack has tag.firmware=7.1       | rack0",
                "pdu has power:node3             | power:/power0/pdu1",
                "from:power (pdu has node3)      | power:/power0/pdu1",
                "tag.firmware=7.1 and not state=down | node0",
                "tag.firmware                    | node0 node1",
                "tag=firmware and tag.firmware>7.1 | node1",
                "tag.firmware!=7.1               | node1",
                "tag.note='a b'                  | node1",
                "node and state=down             | node3",
                "state=dr*                       | node3",
                "state=failing                   | node2/gpu0",
                "node has state=failing          | node2",
                "node and not state=down and property=batch | node1 node2",
                "node and properties.batch       | node1 node2",
                "gpu and property.maker=x* and rank=2-9 | node2/gpu0 node3/gpu0",
                "node and rank<1                 | node0",
                "node and rank>=3                | node3",
                "node and id=0,3                 | node0 node3",
                "node and name=node[1-2]         | node1 node2",
                "node[0-1]                       | node0 node1",
                "no*3                            | node3",
                "node and name!=node*            | ``",
                "data.flux.jobs                  | node2",
                "size=1.2TB                      | node2/ssd0",
                "ssd.size>=1200gb                | node2/ssd0 node3/ssd0",
                "pdu.size=30000W                 | power:/power0/pdu0",
                "unit=kW                         | power:/power0/pdu0 power:/power0/pdu1",
                "/cluster0/*/node3               | node3",
                "path=/cluster0/rack0/*/ssd0     | node0/ssd0 node1/ssd0",
                "/cluster0/rack1 or 'rack0'      | rack0 rack1",
                "gpu in node in rack1            | node2/gpu0 node3/gpu0",
                "type=nope                       | ``",
            })
    void expressionsFindTheDocumentedVertices(String expression, String paths) {
        assertThat(found(expression)).isEqualTo(paths == null ? "" : paths);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``                 | 0  | expected a term",
                "gpu and            | 7  | expected a term",
                "gpu in             | 6  | expected what in refers to: a path, a name or a term",
                "gpu rack1          | 4  | expected and, or, in, has or the end",
                "(gpu or (node)     | 0  | this parenthesis is not closed",
                "(gpu node)         | 5  | expected and, or, in, has or )",
                "gpu)               | 3  | this parenthesis was never opened",
                "colour=red         | 0  | there is no key colour; there are type, name, basename, id, size, unit, path, rank, state, class, ticket, uuid, tag.K, property.K, data.K",
                "gpu and size>=big  | 14 | expected a number, with or without a unit",
                "rank=x             | 5  | not a decimal digit",
                "type<node          | 4  | type can only be compared with = and !=",
                "tag<3              | 3  | tag can only be compared with = and !=; to compare a value, write tag.K",
                "tag.a==3           | 6  | equality is written with one =",
                "tag.a=             | 6  | expected a value; \"\" is the empty text",
                "gpu ! x            | 4  | expected !=; to negate a term, write not before it",
                "name='x            | 5  | this quote is not closed",
                "node[0-            | 7  | the range has no end",
                "from:              | 5  | expected the name of a subsystem",
                "power:             | 6  | expected what to look for in subsystem power",
                "node and gpux      | 9  | there is no type and no name gpux",
                "node has tpu.size>1 | 9 | there is no type tpu",
                "node in /cluster0/rack7 | 8 | there is no path /cluster0/rack7 in subsystem containment",
                "node in water:pipe | 8  | there is no subsystem water; there are containment, power",
                "node in pdu1       | 8  | this is not in subsystem containment but in power, as power:... would say",
                "not state=dwon     | 10 | there is no state dwon; there are up, available, down, degraded, failing, unknown, drained, excluded, lost, torpid, offline",
                "ssd and size>=1ZB  | 14 | no pool is counted in ZB; units with prefixes, such as k, M and Gi, are B, B/s, b, b/s, bit/s, W, Wh, J, Hz, FLOPS",
                "node\u0007x        | 4  | U+0007 cannot be in an expression",
            })
    void badExpressionsAreRefusedAtTheColumn(String expression, int position, String reason) {
        assertThatThrownBy(() -> found(expression == null ? "" : expression))
                .isInstanceOfSatisfying(MalformedException.class, e -> {
                    assertThat(e.reason()).isEqualTo(reason);
                    assertThat(e.position()).isEqualTo(position);
                });
    }

    @Test
    void expressionsHaveLimits() {
        assertThatThrownBy(() -> Expression.parse("a".repeat(1 << 20)))
                .hasMessageContaining("longer than 65536 characters at position 65536");
        assertThatThrownBy(() -> Expression.parse("(".repeat(10_000) + "gpu" + ")".repeat(10_000)))
                .hasMessageContaining("nested deeper than 100 levels at position 101");
        assertThatThrownBy(() -> Expression.parse("not ".repeat(10_000) + "gpu"))
                .hasMessageContaining("nested deeper than 100 levels");
        assertThatThrownBy(() -> Expression.parse("a:".repeat(10_000) + "gpu")).hasMessageContaining("deeper");
        assertThatThrownBy(() -> Expression.parse("gpu or ".repeat(300) + "gpu"))
                .hasMessageContaining("more than 256 terms at position 1792");
        assertThatThrownBy(() -> Expression.parse("n[0-99999]"))
                .hasMessageContaining("100000 names; the lists of an expression may have 65536 in all at position 0");
        assertThatThrownBy(() -> Expression.parse("n[0-65535] or n[0-65535]".replace("or", "or gpu or")))
                .hasMessageContaining("131072 names; the lists of an expression may have 65536 in all at position 21");
        for (String deep :
                List.of("/*".repeat(1001), "path=" + "/x".repeat(1001), "'power:" + "/x".repeat(1001) + "'")) {
            assertThatThrownBy(() -> Expression.parse(deep)).hasMessageContaining("a path may have 1000 levels");
        }
        assertThat(Expression.parse("(".repeat(90) + "gpu" + ")".repeat(90)))
                .asString()
                .hasSize(183);
    }

    @ParameterizedTest
    @CsvSource({"gpu*, gpu12, true", "*, '', true", "a*b*c, aXbYbc, true", "a*b, abc, false", "*a*a*a*a*, aaa, false"})
    void aStarInAPatternMatchesAnyText(String glob, String text, boolean matches) {
        assertThat(Pattern.matches(glob, text)).isEqualTo(matches);
    }

    private static List<String> best(String expression, int most, String by) {
        Search search = new Search(Expression.parse(expression), null, null, null, null, most, by);
        List<String> matches = new ArrayList<>();
        search.in(GRAPH, R)
                .best()
                .forEach(m -> matches.add(
                        GRAPH.pool(m.vertex()).name() + "@" + GRAPH.rank(m.vertex()) + "=" + (long) m.score()));
        return matches;
    }

    @Test
    void theBestMatchesAreInDescendingOrderOfScore() {
        assertThat(best("ssd", 2, "size")).containsExactly("ssd0@3=1400000000000", "ssd0@2=1200000000000");
        assertThat(best("gpu or ssd", 99, "size")).hasSize(8).endsWith("gpu0@2=1", "gpu0@3=1");
        assertThat(best("node", 1, "rank")).containsExactly("node3@3=3");
        assertThat(best("node", 9, "data.flux.jobs.count")).isEmpty();
        assertThat(best("node", 9, "tag.firmware")).containsExactly("node1@1=7", "node0@0=7");
        assertThat(best("node", 2, "property.slots")).containsExactly("node1@1=12", "node2@2=12");
        assertThat(best("node", 9, "property.slots")).containsExactly("node1@1=12", "node2@2=12", "node0@0=4");
        assertThat(best("gpu", 9, "property.maker")).isEmpty();
        assertThatThrownBy(() -> best("node", 1, "name")).hasMessageContaining("expected size, id, rank");
        assertThatThrownBy(() -> best("node", 1, "tag")).hasMessageContaining("expected size, id, rank");
    }

    @Test
    void aWalkStartsAtTheGivenVerticesAndSkipsVerticesBelowPrunedOnes() {
        Search search = new Search(
                Expression.parse("size>=1"),
                null,
                Expression.parse("rack1"),
                Expression.parse("node2"),
                Search.Order.POST,
                0,
                "");
        Search.Found found = search.in(GRAPH, R);
        assertThat(search.ordered(GRAPH, found).stream().map(v -> GRAPH.pool(v).name()))
                .containsExactly("node2", "gpu0", "ssd0", "node3", "rack1");
        assertThat(found.ranks()).isEqualTo(Idset.of(2, 3));
        assertThatThrownBy(() -> new Search(Expression.parse("node"), "water", null, null, null, 0, "").in(GRAPH, R))
                .hasMessageContaining("there are containment, power");
    }

    @Test
    void ranksAreThoseOfTheHostsAboveAndBelowTheFoundVertices() {
        assertThat(Search.all(Expression.parse("state=failing")).in(GRAPH, R).ranks())
                .isEqualTo(Idset.of(2));
        assertThat(Search.all(Expression.parse("rack0")).in(GRAPH, R).ranks()).isEqualTo(Idset.of(0, 1));
        assertThat(new Search(Expression.parse("pdu1"), "power", null, null, null, 0, "")
                        .in(GRAPH, R)
                        .ranks())
                .isEqualTo(Idset.of(2, 3));
    }
}
