package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.feasibility.Feasibility;
import io.muster.inventory.feasibility.Verdict;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problem;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.Pruned;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Topologies within nodes (RFC 49). */
class TreePoolTest {
    /** Cluster A of RFC 49: two sockets of four NUMA domains, each of 15 cores and a GPU. */
    private static final ResourceSet A = set(16, 120, 8, """
            {'ranks':'0-15','topo':{'storage':[{'path':'/mnt/nvme','capacity':2,'unit':'TiB'}],'socket':[
             {'numa':[{'cores':'0-14','gpus':'0'},{'cores':'15-29','gpus':'1'},{'cores':'30-44','gpus':'2'},{'cores':'45-59','gpus':'3'}]},
             {'numa':[{'cores':'60-74','gpus':'4'},{'cores':'75-89','gpus':'5'},{'cores':'90-104','gpus':'6'},{'cores':'105-119','gpus':'7'}]}]}}""");

    /** Cluster B of RFC 49: four packages of 24 cores, a GPU and memory. */
    private static final ResourceSet B = set(1152, 96, 4, """
            {'ranks':'0-1151','topo':{'storage':[{'path':'/l/ssd','capacity':200,'unit':'GiB'}],'socket':[
             {'cores':'0-23','gpus':'0','memory':125},{'cores':'24-47','gpus':'1','memory':126},
             {'cores':'48-71','gpus':'2','memory':126},{'cores':'72-95','gpus':'3','memory':126}]}}""");

    private static ResourceSet set(int nodes, int cores, int gpus, String children) {
        return ResourceSet.of(
                        Hostlist.parse("n[0-" + (nodes - 1) + "]"),
                        Idset.range(0, nodes - 1),
                        Idset.range(0, cores - 1),
                        gpus == 0 ? Idset.EMPTY : Idset.range(0, gpus - 1),
                        Map.of())
                .withScheduling(Objects.requireNonNull(StrictJson.read(
                        ("{'writer':'TreePool','children':[" + children + "]}").replace('\'', '"'), new Problems())));
    }

    private static String ranks(ResourceSet r) {
        return String.join(" ", Objects.requireNonNull(r.scheduling()).tree().findValuesAsText("ranks"));
    }

    /** The shapes of the RFC's test vectors, each on an idle cluster, and shapes that no node of the cluster fits. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "A | slot=1/node=1/[core=8;gpu=1] | YES",
                "A | node/slot=8/[core=15;gpu=1] | YES",
                "A | slot=4/node/core=120 | YES",
                "A | slot=1/node=1/core=4 | YES",
                "A | slot=1/node=1/[core=15;gpu=1] | YES",
                "A | node/slot=6/[core=15;gpu=1] | YES",
                "A | slot=1/node=1/[core=60;gpu=4] | YES",
                "A | slot=1/numa{x} | YES",
                "A | slot=1/socket{x} | YES",
                "A | slot=1/node{x} | YES",
                "A | slot=2/socket/gpu=1 | YES",
                "A | slot=128/numa/[core=15;gpu=1] | YES",
                "A | slot=129/numa/[core=15;gpu=1] | NEVER",
                "A | slot/numa/core=16 | NEVER",
                "A | slot/socket/gpu=5 | NEVER",
                "A | slot=16/node/storage=2{unit:TiB} | YES",
                "A | slot/node/storage=3{unit:TiB} | NEVER",
                "B | slot=1/node=1/[core=24;gpu=1] | YES",
                "B | node/slot=4/[core=24;gpu=1] | YES",
                "B | slot=4/node/[core=96;gpu=4] | YES",
                "B | node/slot=3/[core=24;gpu=1] | YES",
                "B | slot=1/socket{x} | YES",
                "B | slot=1/node{x} | YES",
                "B | slot=3456/socket/memory=126{unit:GiB} | YES",
                "B | slot=3457/socket/memory=126{unit:GiB} | NEVER",
            })
    void theShapesOfTheRfcAreDecidedByTheTopology(String cluster, String shape, Verdict verdict) {
        ResourceSet r = cluster.equals("A") ? A : B;
        ResourceGraph graph = Objects.requireNonNull(Structure.given(r, List.of(), Detail.POOLS));
        assertThat(Feasibility.of(r, graph)
                        .ever(JobRequest.of(Shape.parse(shape)))
                        .verdict())
                .isEqualTo(verdict);
    }

    /** The R of a job has the topology of the whole node and the units of the job. */
    @Test
    void onlyTheUnitsOfRLiteAreInTheGraph() {
        ResourceSet r = set(2, 5, 1, """
                {'ranks':'0','topo':{'memory':9,'numa':[{'cores':'0-3','gpus':'0'},{'cores':'4-7'},{'cores':'8-9'},{'memory':4}]}}""");
        ResourceGraph graph = Structure.of(r, Detail.UNITS);
        StringBuilder parts = new StringBuilder();
        for (int v = 3; v < graph.size(); v++) {
            parts.append(graph.path(v, EdgeKind.CONTAINMENT).substring(9)).append(' ');
        }
        assertThat(parts.toString().strip())
                .isEqualTo("/n0/memory0 /n0/numa0 /n0/numa0/core0 /n0/numa0/core1 /n0/numa0/core2 /n0/numa0/core3"
                        + " /n0/numa0/gpu0 /n0/numa1 /n0/numa1/core4 /n0/numa2 /n0/numa2/memory1"
                        + " /n1/core0 /n1/core1 /n1/core2 /n1/core3 /n1/core4 /n1/gpu0");
        assertThat(graph.pool(3).kind()).isEqualTo(new PoolKind("memory", "memory", 9, "GiB", new TreeMap<>()));
        assertThat(Structure.of(r, Detail.NODES).size()).isEqualTo(3);
        assertThat(Structure.of(r, Detail.POOLS).pool(5).properties()).containsEntry("ids", "0-3");
    }

    @Test
    void theTopologyIsPrunedAndRenumberedWithItsRanks() {
        ResourceSet r = set(8, 4, 0, "{'ranks':'0-3','topo':{'cores':'0-3'}},{'ranks':'4-9','topo':{'memory':7}}");
        Pruned pruned = r.prune(Idset.of(0, 5));
        assertThat(pruned.scheduling()).isEqualTo(Pruned.Scheduling.PRUNED);
        assertThat(ranks(pruned.resources())).isEqualTo("1-3 4,6-7");
        assertThat(ranks(pruned.resources().remap())).isEqualTo("0-2 3-5");
        assertThat(ranks(r.keep(Idset.range(4, 5)))).isEqualTo("4-5");
        assertThat(ranks(r.rerank(Hostlist.parse("n[7,0-6]")))).isEqualTo("1-4 0,5-7");
        assertThat(ranks(r.keep(Idset.of(1)).append(r.keep(Idset.of(6))))).isEqualTo("1 6");
        assertThat(ranks(r.diff(r.keep(Idset.of(1))))).isEqualTo("0,2-3 4-7");
        assertThat(r.prune(Idset.of(99)).scheduling()).isEqualTo(Pruned.Scheduling.KEPT);
        assertThat(r.prune(r.ranks()).scheduling()).isEqualTo(Pruned.Scheduling.DROPPED);
    }

    /** An instance within an instance renumbers R_lite, but not the data of schedulers. */
    @Test
    void ranksOfTheEnclosingInstanceArePairedInOrder() {
        ResourceSet r = set(3, 4, 0, "{'ranks':'7,9','topo':{'socket':[{'cores':'0-3'}]}},{'ranks':'8','topo':{}}");
        assertThat(ranks(r.keep(Idset.of(1, 2)))).isEqualTo("2 1");
        assertThat(Structure.of(r, Detail.POOLS).path(6, EdgeKind.CONTAINMENT)).isEqualTo("/cluster0/n0/socket0/core");
        assertThat(problems(r)).isEmpty();
    }

    private static String problems(ResourceSet r) {
        Problems problems = new Problems();
        Agreement.check(r, problems);
        return String.join(
                "; ", problems.errors().stream().map(Problem::toString).toList());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "5 | /0: must be an object, not a number",
                "{'topo':{}} | /0/ranks: ranks is missing",
                "{'ranks':'0'} | /0/topo: must be an object, not nothing",
                "{'ranks':'x','topo':{}} | /0/ranks: idset \"x\": not a decimal digit at position 0",
                "{'ranks':'','topo':{}} | /0/ranks: names no rank",
                "{'ranks':'0','topo':{},'x':1} | /0/x: is not a key of RFC 49",
                "{'ranks':'0-1','topo':{}},{'ranks':'1-2','topo':{}} | /1/ranks: an earlier entry has rank 1",
                "{'ranks':'7','topo':{}} | /0/ranks: R_lite has none of these ranks",
                "{'ranks':'0','topo':{'cores':4}} | /0/topo/cores: must be an idset string, not a number",
                "{'ranks':'0','topo':{'memory':1.5}} | /0/topo/memory: must be GiB as an integer of 0 or more, not 1.5",
                "{'ranks':'0','topo':{'memory':9223372036854775808}} | R: /scheduling/children/0/topo/memory: is an integer of more than 64 bits",
                "{'ranks':'0','topo':{'socket':{}}} | /0/topo/socket: must be an array of domains, not an object",
                "{'ranks':'0','topo':{'node':[]}} | /0/topo/node: cannot be the name of a level",
                "{'ranks':'0','topo':{'socket':[{'cores':'0-2'},{'cores':'2-3'}]}} | /0/topo/socket/1: has core 2, which another domain beside it has",
                "{'ranks':'0','topo':{'storage':[{'path':'','capacity':-1,'unit':5,'y':1}]}} | /0/topo/storage/0/y: is not a key of RFC 49;"
                        + " /scheduling/children/0/topo/storage/0/capacity: must be a number of 0 or more, not -1;"
                        + " /scheduling/children/0/topo/storage/0/path: must be a non-empty string, not a string;"
                        + " /scheduling/children/0/topo/storage/0/unit: must be a non-empty string, not a number",
                "{'ranks':'0','topo':{'socket':[{'cores':'2-9'}]}} | /0/topo: core 0-1 of rank 0 is in R_lite and not here, and 4-9 is here and not in R_lite",
            })
    void badTopologiesAreRefusedWithTheirPlace(String children, String sentence) {
        String text = set(3, 4, 0, "")
                .toString()
                .replace("\"children\":[]", "\"children\":[" + children.replace('\'', '"') + "]");
        if (sentence.startsWith("R: ")) {
            assertThatThrownBy(() -> ResourceSet.parse(text))
                    .isInstanceOf(InvalidException.class)
                    .hasMessageContaining(sentence);
        } else {
            assertThat(problems(ResourceSet.parse(text))).isEqualTo("/scheduling/children" + sentence);
        }
    }

    @Test
    void aTopologyMayBeNeitherTooDeepNorTooLarge() {
        String deep = "{'a':[".repeat(21) + "{}" + "]}".repeat(21);
        assertThat(problems(set(1, 1, 0, "{'ranks':'0','topo':" + deep + "}")))
                .endsWith("is too much: a node may have 20 levels");
        String wide = "{'a':[{}" + ",{}".repeat(10_000) + "]}";
        assertThat(problems(set(1, 1, 0, "{'ranks':'0','topo':" + wide + "}")))
                .startsWith("/scheduling/children/0/topo/a/9999: is too much: a node may have 10000 domains");
        ResourceSet many = set(1 << 20, 1, 0, "{'ranks':'0-1048575','topo':{'a':[{},{},{},{},{},{},{}]}}");
        assertThat(Structure.of(many, Detail.POOLS).size()).isEqualTo(1 + (1 << 20) * 9);
        String most = "{'a':[{}" + ",{}".repeat(2_500) + "]}";
        ResourceSet tooMany = set(1 << 20, 1, 0, "{'ranks':'0-1048575','topo':" + most + "}");
        assertThatThrownBy(() -> Structure.of(tooMany, Detail.POOLS))
                .hasMessage("more vertices than a graph can number; ask for less detail");
    }

    /** Levels without information may be left out. */
    @Test
    void aTopologyThatLeavesUnitsOutIsAcceptedWithAWarning() {
        ResourceSet r = set(2, 4, 2, "{'ranks':'0-1','topo':{'socket':[{'cores':'0-1'}]}}");
        Problems problems = new Problems();
        Agreement.check(r, problems);
        assertThat(problems.errors()).isEmpty();
        assertThat(problems.warnings())
                .hasToString("[/scheduling/children/0/topo: core 2-3 of rank 0 is in R_lite and not here]");
    }
}
