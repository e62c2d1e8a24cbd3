package io.muster.inventory.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.GraphEntry;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FeasibilityTest {
    /** 128 nodes of 8 cores: 3 with 8 gpus, 40 with 4, the rest without. */
    private static final ResourceSet FLUKE = set("fluke[1-3]", "0-2", 8, 8)
            .append(set("fluke[4-43]", "3-42", 8, 4))
            .append(set("fluke[44-128]", "43-127", 8, 0))
            .withProperty("ssd", Idset.range(0, 11))
            .withProperty("huge", Idset.range(2, 50));

    private static final Feasibility FLUKES = Feasibility.of(FLUKE);

    private static ResourceSet set(String hosts, String ranks, int cores, int gpus) {
        return ResourceSet.of(
                Hostlist.parse(hosts),
                Idset.parse(ranks),
                Idset.range(0, cores - 1),
                gpus == 0 ? Idset.EMPTY : Idset.range(0, gpus - 1),
                Map.of());
    }

    private static JobRequest request(String shape, String constraint) {
        return new JobRequest(Shape.parse(shape), Constraint.parse(constraint), 0);
    }

    /** Returns a placement of the request, which is empty if the placer finds none. */
    static List<Share> placed(ResourceSet r, JobRequest request) {
        AreaFit fit = new AreaFit(Stock.of(r), request.constraint().matches(r));
        List<Share> placed = new Placer(fit).place(request.resources(), fit.top(), 1);
        return placed == null ? List.of() : placed;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "node=128 | fits on 128 of 128 nodes",
                "slot=128/node | fits on 128 of 128 nodes; at most 128 slots",
                "slot=4/core=3 | fits on 128 of 128 nodes; at most 256 slots",
                "node=3/slot=2/[core=4;gpu=4] | fits on 3 of 128 nodes; at most 6 slots",
                "slot=26/[core;gpu=4] | fits on 43 of 128 nodes; at most 46 slots",
                "core=1024 | fits on 128 of 128 nodes",
                "cluster/slot=2/node=64 | fits on 128 of 128 nodes; at most 2 slots",
                "slot=3-500:3:*/node/gpu=4+ | fits on 43 of 128 nodes; at most 43 slots",
                "[slot{a}/node/gpu=8;slot{b}/node=127] | fits on 128 of 128 nodes",
                "[slot=43{a}/[core=5;gpu];slot=300{b}/core] | fits on 128 of 128 nodes",
            })
    void aRequestThatFitsIsAnsweredYesWithTheAmountThatFits(String shape, String sentence) {
        Assessment answer = FLUKES.ever(request(shape, "{}"));
        assertThat(answer.sentence()).isEqualTo(sentence);
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(placed(FLUKE, request(shape, "{}"))).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "node=5/gpu=8 | 5 nodes with gpu >= 8 asked; 3 of 128 have them (fluke[1-3]); 40 have 4; it fits with node=3",
                "slot=5/node/gpu=8 | 5 nodes with gpu >= 8 asked; 3 of 128 have them (fluke[1-3]); 40 have 4",
                "node=2/slot=2/[core=8;gpu=2] | 2 nodes with core >= 16 and gpu >= 4 asked; none of 128 have them; 128 have 8 core",
                "node=129 | 129 nodes asked; 128 are there",
                "node/gpu=9 | 1 node with gpu >= 9 asked; none of 128 have them; 3 have 8",
                "slot=300/core=3 | 300 slots of core=3 asked; 256 slots fit at most, 2 on the largest node (1024 core in all, but a slot lies within one node)",
                "slot/core=9 | 1 slot of core=9 asked; no node holds one; the most on one is 8 core",
                "core=1025 | 1025 core asked; 1024 are there",
                "node/memory=4 | type \"memory\" does not occur in this inventory; it has cluster, core, gpu, node",
                "cluster=2/node | 2 clusters asked; 1 is there",
                "cluster/node=129 | 129 nodes asked; 128 are there",
                "[slot=100{a}/core=5;slot=100{b}/core=5] | 100 slots of core=5 and 100 slots of core=5 asked; at most 100 and 28 of them fit together",
                "[slot=100{a}/core=5;slot=900{b}/gpu;slot{c}/core] | 900 slots of gpu=1 asked; 184 slots fit at most, 8 on the largest node (900 gpu in all, 184 are there)",
                "[slot=100{a}/core=8;slot=100{b}/core=8] | 100 slots of core=8 and 100 slots of core=8 asked; that is 1600 core in all, 1024 are there",
                "[slot{a}/core=1020;core=5] | 1 slot of core=1020 asked; no node holds one; the most on one is 8 core",
                "[core=1000;gpu;core=30] | 1000 core, 1 gpu and 30 core asked; that is 1030 core in all, 1024 are there",
                "[core;core;core;gpu;core=1024] | 1 core, 1 core, 1 core and 2 more asked; that is 1027 core in all, 1024 are there",
                "[node=100/core=8;node=29/gpu] | 100 nodes of core=8 and 29 nodes of gpu=1 asked; that is 129 nodes in all, 128 are there",
                "[node=3/gpu=8;node=41/gpu;node=2] | 3 nodes of gpu=8 and 41 nodes of gpu=1 asked; that is 44 nodes in all, 43 have what one of them needs",
                "slot=2/[node=30/gpu;core=3] | 60 nodes with gpu >= 1 asked; 43 of 128 have them (fluke[1-43]); 85 have no gpu",
                "slot=1000/gpu | 1000 slots of gpu=1 asked; 184 slots fit at most, 8 on the largest node (1000 gpu in all, 184 are there)",
                "slot=200/[core=4;gpu] | 200 slots of core=4 and gpu=1 asked; 86 slots fit at most, 2 on the largest node (200 gpu in all, 184 are there)",
                "cluster/slot=2/node=65 | 130 nodes asked; 128 are there",
                "node/gpus | type \"gpus\" does not occur in this inventory; it has cluster, core, gpu, node, did you mean \"gpu\"?",
            })
    void aRequestThatNeverFitsIsAnsweredNeverWithTheNearestAmount(String shape, String sentence) {
        Assessment answer = FLUKES.ever(request(shape, "{}"));
        assertThat(answer.verdict()).isEqualTo(Verdict.NEVER);
        assertThat(answer.sentence()).startsWith(sentence);
        assertThat(placed(FLUKE, request(shape, "{}"))).isEmpty();
    }

    @Test
    void aConstraintChoosesHostsAndIsNamedWhenItIsTheReason() {
        assertThat(FLUKES.ever(request("node=12", "{\"properties\":[\"ssd\"]}")).hosts())
                .hasToString("0-11");
        assertThat(FLUKES.ever(request("node=2/gpu=8", "{\"properties\":[\"ssd\",\"huge\"]}"))
                        .sentence())
                .isEqualTo(
                        "2 nodes with gpu >= 8 asked; 1 of 10 has them (fluke3); 9 have 4; it fits with node=1; "
                                + "constraint {\"properties\":[\"ssd\",\"huge\"]} leaves 10 of 128 nodes; without it the request fits");
        assertThat(FLUKES.ever(request("node", "{\"properties\":[\"sdd\"]}")).sentence())
                .isEqualTo("constraint {\"properties\":[\"sdd\"]} leaves none of 128 nodes; "
                        + "without it the request fits; no node has property \"sdd\", did you mean \"ssd\"?");
    }

    @Test
    void theAnswerForNowDependsOnTheRanksThatAreUpAndOnTheTime() {
        ResourceSet r = FLUKE.withExpiration(5000);
        Feasibility feasibility = Feasibility.of(r);
        JobRequest two = request("node=2/gpu=8", "{}");
        Assessment up = feasibility.now(two, Idset.range(0, 200), 1000);
        assertThat(up.verdict()).isEqualTo(Verdict.YES);
        assertThat(up.remarks())
                .containsExactly("a job without a duration runs until the inventory expires, 4000s from now");
        Assessment down = feasibility.now(two, Idset.range(2, 127), 1000);
        assertThat(down.verdict()).isEqualTo(Verdict.NOT_NOW);
        assertThat(down.sentence())
                .isEqualTo("fits the inventory, not now: 126 of 128 nodes up (down: fluke[1-2]); "
                        + "2 nodes with gpu >= 8 asked; 1 of 126 has them (fluke3); 40 have 4; it fits with node=1");
        JobRequest lengthy = new JobRequest(Shape.parse("node"), Constraint.all(), 4000.5);
        assertThat(feasibility.now(lengthy, r.ranks(), 1000))
                .extracting(Assessment::verdict, Assessment::sentence)
                .containsExactly(
                        Verdict.NOT_NOW,
                        "the duration of 4000.5s is more than the inventory's remaining lifetime of 4000s");
        assertThat(feasibility.now(two, Idset.EMPTY, 1000).sentence())
                .isEqualTo("fits the inventory, not now: none of 128 nodes up (down: fluke[1-128])");
        assertThat(feasibility
                        .now(request("node=4/gpu=4", "{\"properties\":[\"ssd\"]}"), Idset.range(0, 2), 1000)
                        .sentence())
                .isEqualTo(
                        "fits the inventory, not now: 3 of 12 nodes up (down: fluke[4-12]); 4 nodes with gpu >= 4 asked; "
                                + "all 3 have them (fluke[1-3]); it fits with node=3; "
                                + "constraint {\"properties\":[\"ssd\"]} leaves 12 of 128 nodes");
        assertThat(feasibility.now(lengthy, r.ranks(), 6000).sentence()).isEqualTo("the inventory has expired");
        assertThat(feasibility.ever(lengthy).verdict()).isEqualTo(Verdict.YES);
        assertThat(feasibility.now(request("node=200", "{}"), r.ranks(), 1000).verdict())
                .isEqualTo(Verdict.NEVER);
    }

    @Test
    void beforeTheStartTimeOfRTheAnswerIsNotNowAndNamesTheStartTime() {
        Feasibility feasibility = Feasibility.of(ResourceSet.parse("""
                {"version":1,"execution":{"R_lite":[{"rank":"0","children":{"core":"0-3"}}],
                "starttime":5000.0,"expiration":9000.0,"nodelist":["a"]}}
                """));
        JobRequest one = request("node", "{}");
        assertThat(feasibility.now(one, Idset.of(0), 1400))
                .extracting(Assessment::verdict, Assessment::sentence)
                .containsExactly(Verdict.NOT_NOW, "R starts at 1970-01-01T01:23:20Z, 60m from now");
        assertThat(feasibility.now(one, Idset.of(0), 5000).verdict()).isEqualTo(Verdict.YES);
        assertThat(feasibility.ever(one).verdict()).isEqualTo(Verdict.YES);
    }

    @Test
    void idsOfResourcesAreIgnoredWithARemark() {
        Assessment answer = FLUKES.ever(request("node/core{id:\"7\"}", "{}"));
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(answer.remarks()).containsExactly("ids of resources are ignored");
    }

    /** In RFC 14, exclusive refers to other programs and not to the parts of one request. */
    @Test
    void theKeyExclusiveDoesNotChangeTheAnswer() {
        for (String shape :
                List.of("node=128X/core=8", "slot=256/[core=3X]", "slot=128/nodeX/core=8", "slot=2/nodeX/gpu=9")) {
            List<Assessment> answers = Stream.of("", "{x}", "{-x}")
                    .map(x -> FLUKES.ever(request(shape.replace("X", x), "{}")))
                    .distinct()
                    .toList();
            assertThat(answers).as(shape).hasSize(1);
        }
    }

    @Test
    void anEmptyInventoryFitsNothing() {
        Feasibility none = Feasibility.of(ResourceSet.EMPTY);
        assertThat(none.ever(request("node", "{}")).verdict()).isEqualTo(Verdict.NEVER);
        assertThat(none.ever(request("slot/core", "{}")).verdict()).isEqualTo(Verdict.NEVER);
    }

    /** Two racks of two nodes with two sockets each, memory in sockets, an ssd beside the nodes of a rack. */
    private static Feasibility machine() {
        ResourceGraph.Builder b = ResourceGraph.builder();
        int[] keys = new int[1];
        int cluster = vertex(b, keys, -1, "cluster", 1, "", 0);
        for (int rack = 0; rack < 2; rack++) {
            int rackVertex = vertex(b, keys, cluster, "rack", 1, "", rack);
            vertex(b, keys, rackVertex, "ssd", 1000, "GB", 0);
            for (int n = 0; n < 2; n++) {
                int node = vertex(b, keys, rackVertex, "node", 1, "", rack * 2 + n);
                for (int s = 0; s < 2; s++) {
                    int socket = vertex(b, keys, node, "socket", 1, "", s);
                    vertex(b, keys, socket, "core", 18, "", 0);
                    vertex(b, keys, socket, "memory", 128, "GiB", 0);
                }
                vertex(b, keys, node, "gpu", 2, "", 0);
            }
        }
        return Feasibility.of(set("node[0-3]", "0-3", 36, 2), b.build());
    }

    private static int vertex(
            ResourceGraph.Builder b, int[] keys, int parent, String type, long size, String unit, int id) {
        PoolKind kind = new PoolKind(type, type, size, unit, new TreeMap<>());
        int v = b.vertex(Integer.toString(keys[0]++), Pool.of(kind, id), -1);
        if (parent >= 0) {
            b.edge(parent, v, EdgeKind.contains());
        }
        return v;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rack=2/node=2 | YES",
                "rack=2/node=3 | NEVER",
                "rack=3/node | NEVER",
                "rack/slot=72/core | YES",
                "rack/slot=73/core | NEVER",
                "slot/[core=36;gpu=2] | YES",
                "slot=8/socket/core=18 | YES",
                "slot=9/socket/core=18 | NEVER",
                "slot/socket/core=19 | NEVER",
                "slot=4/socket=2/core=10 | YES",
                "slot/socket=3 | NEVER",
                "node/[socket=2/core=4;core=28] | YES",
                "node/[socket=2/core=4;core=29] | NEVER",
                "slot/memory=274{unit:GB} | YES",
                "slot/memory=275{unit:GB} | NEVER",
                "slot/memory=256{unit:GiB} | YES",
                "slot/memory=256 | YES",
                "ssd=2000{unit:GB} | YES",
                "ssd=2001{unit:GB} | NEVER",
                "rack/[node=2;ssd=1000{unit:GB}] | YES",
                "rack=2/[ssd=1000{unit:GB};node=2/[socket=2;gpu=2]] | YES",
                "rack/[node=3;ssd{unit:GB}] | NEVER",
                "rack/[node;ssd=1001{unit:GB}] | NEVER",
                "rack/[ssd=600{unit:GB};ssd=600{unit:GB}] | NEVER",
                "[ssd=1200{unit:GB};ssd=800{unit:GB}] | YES",
                "[ssd=2000{unit:GB};rack/ssd{unit:GB}] | UNKNOWN",
                "rack/[slot{a}/ssd;ssd] | UNKNOWN",
                "slot/ssd | UNKNOWN",
                "[slot{a}/ssd;slot{b}/core] | UNKNOWN",
                "memory=4{unit:furlong} | INVALID",
                "[rack/node=2;rack/node] | YES",
                "[rack/node=2;rack/node=3] | NEVER",
                "node=4/[slot{a}/socket/core=18;slot{b}/socket/core=18] | UNKNOWN",
            })
    void requestsAreDecidedByTheSocketsRacksAndUnitsOfTheGraph(String shape, Verdict verdict) {
        Assessment answer = machine().ever(request(shape, "{}"));
        assertThat(answer.verdict()).as(answer.sentence()).isEqualTo(verdict);
    }

    @Test
    void anUndecidedRequestIsNotReportedAsFittingTheInventory() {
        Assessment answer = machine().now(request("[slot{a}/ssd;slot{b}/core]", "{}"), Idset.EMPTY, 0);
        assertThat(answer.verdict()).isEqualTo(Verdict.NOT_NOW);
        assertThat(answer.sentence()).isEqualTo("not now, and perhaps never: none of 4 nodes up (down: node[0-3])");
    }

    @Test
    void theReasonNamesTooFewRacksOrTooLittleMemory() {
        assertThat(machine().ever(request("rack=2/node=3", "{}")).sentence())
                .isEqualTo("2 racks of node=3 asked; none of 2 have that; the most in one is node=2");
        assertThat(machine().ever(request("rack=3/node", "{}")).sentence()).isEqualTo("3 racks asked; 2 are there");
        assertThat(machine().ever(request("slot/memory=275{unit:GB}", "{}")).sentence())
                .isEqualTo("1 slot of memory=275GB asked; no node holds one; the most on one is 274GB memory");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "memory=4{unit:furlong} | memory is asked for in \"furlong\", but the inventory counts it in \"GiB\"",
                "core=4{unit:cores} | core is asked for in \"cores\", but the inventory counts it in no unit",
                "node/[slot{a}/memory=1{unit:GB};slot{b}/memory=2] | memory is asked for in \"GB\" and in no unit",
            })
    void amountsInUnitsThatCannotBeComparedAreInvalid(String shape, String sentence) {
        Assessment answer = machine().ever(request(shape, "{}"));
        assertThat(answer.verdict()).isEqualTo(Verdict.INVALID);
        assertThat(answer.sentence()).isEqualTo(sentence);
        assertThat(machine().now(request(shape, "{}"), Idset.EMPTY, 0)).isEqualTo(answer);
    }

    /** If some pools are counted in the requested unit and others in another, the request means only the former. */
    @Test
    void poolsInAnotherUnitCountAsNoneOfTheRequestedAmount() {
        ResourceGraph.Builder b = ResourceGraph.builder();
        int[] keys = new int[1];
        int cluster = vertex(b, keys, -1, "cluster", 1, "", 0);
        for (int n = 0; n < 2; n++) {
            int node = vertex(b, keys, cluster, "node", 1, "", n);
            vertex(b, keys, node, "memory", 64, n == 0 ? "GB" : "", 0);
        }
        Feasibility mixed = Feasibility.of(set("node[0-1]", "0-1", 1, 0), b.build());
        assertThat(mixed.ever(request("node/memory=64{unit:GB}", "{}")).hosts()).hasToString("0");
        assertThat(mixed.ever(request("node=2/memory=64{unit:GB}", "{}")).sentence())
                .startsWith("2 nodes with memory >= 64GB asked; 1 of 2 has them (node0); 1 has no memory");
        assertThat(mixed.ever(request("node=2/memory=64", "{}")).verdict()).isEqualTo(Verdict.YES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "slot/ssd | 1 slot of ssd=1 asked; ssd is outside of the nodes, and Muster does not decide whether a slot may take it there",
                "node=4/[slot{a}/socket/core=18;slot{b}/socket/core=18] | 4 nodes of slot of socket of core=18 and slot of socket of"
                        + " core=18 asked; parts of the request compete for the same resources, and Muster does not search how they could share them",
            })
    void anUnknownAnswerNamesTheUndecidedPartOfTheRequest(String shape, String sentence) {
        Assessment answer = machine().ever(request(shape, "{}"));
        assertThat(answer.verdict()).isEqualTo(Verdict.UNKNOWN);
        assertThat(answer.sentence()).isEqualTo(sentence);
    }

    @Test
    void poolsOutsideOfNodesAreReportedAsFittingBesideTheNodes() {
        assertThat(machine().ever(request("ssd=2000{unit:GB}", "{}")).sentence())
                .isEqualTo("fits outside of the nodes");
    }

    @Test
    void aGraphMadeFromRGivesTheSameAnswersAsR() {
        Feasibility byGraph = Feasibility.of(FLUKE, ResourceGraph.of(FLUKE, Detail.UNITS));
        for (String shape :
                List.of("node=3/gpu=8", "node=4/gpu=8", "slot=256/core=3", "slot=257/core=3", "core=1024")) {
            assertThat(byGraph.ever(request(shape, "{}")).verdict())
                    .as(shape)
                    .isEqualTo(FLUKES.ever(request(shape, "{}")).verdict());
        }
        assertThat(byGraph.kinds()).isEqualTo(3);
        assertThat(FLUKES.kinds()).isEqualTo(3);
    }

    @Test
    void hugeRequestsNeitherOverflowNorTakeLong() {
        assertThat(FLUKES.ever(request("slot=2147483647/node=2147483647/core=2147483647", "{}"))
                        .verdict())
                .isEqualTo(Verdict.NEVER);
        assertThat(FLUKES.ever(request("[slot=2147483647{a}/core;slot=2147483647{b}/gpu]", "{}"))
                        .verdict())
                .isEqualTo(Verdict.NEVER);
    }

    @Test
    void theConstraintOfAJobspecAppliesAndARequestForZeroGpusIsIgnored() {
        ResourceSet r = set("n[0-9]", "0-9", 4, 4);
        String yaml = """
                version: 1
                resources: [{type: node, count: 4, with: [{type: slot, count: 4, label: a, with: [{type: core, count: 1}, {type: gpu, count: 0}]}]}]
                tasks: [{command: [app], slot: a, count: {per_slot: 1}}]
                attributes: {system: {duration: 60, constraints: {hostlist: ["n[0-4]"]}}}
                """;
        JobRequest request = Jobspec.parse(yaml, Jobspec.Level.CANONICAL).request();
        Assessment answer = Feasibility.of(r).ever(request);
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(answer.mostSlots()).isEqualTo(20);
        assertThat(placed(r, request)).containsExactly(new Share("node", Idset.range(0, 3), 1));
    }

    /** There are pools outside of the nodes, but Muster does not search how slots could share them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[slot{a}/ssd=600{unit:GB};slot{b}/ssd=700{unit:GB}] | UNKNOWN",
                "[ssd=600{unit:GB};ssd=700{unit:GB}] | YES",
            })
    void poolsOutsideOfNodesAreConsideredIfNoNodeIsAvailable(String shape, Verdict verdict) {
        assertThat(machine().ever(request(shape, "{\"hostlist\":[\"nobody\"]}")).verdict())
                .isEqualTo(verdict);
        assertThat(machine().now(request(shape, "{}"), Idset.EMPTY, 0).verdict())
                .isEqualTo(verdict);
    }

    /** Eight nodes of 4 cores on four switches of 40 GB/s below a file system of 100 GB/s; two free licences; two PDUs of 5 kW. */
    private static ResourceGraph channels() throws IOException {
        Problems problems = new Problems();
        List<GraphEntry> entries = GraphEntry.readAll(new JsonMapper().readTree("""
                [{"type": "pfs", "subsystem": "bandwidth", "size": 100, "unit": "GB/s", "holds": "port"},
                 {"type": "port", "count": 4, "hosts": "n[0-7]", "subsystem": "bandwidth", "size": 40, "unit": "GB/s"},
                 {"type": "licence", "subsystem": "shop", "size": 2},
                 {"type": "kw", "count": 2, "hosts": "n[0-7]", "subsystem": "power", "size": 5},
                 {"type": "rack", "count": 2, "hosts": "n[0-7]"}]
                """), "graph", problems);
        assertThat(problems.errors()).isEmpty();
        return Structure.of(set("n[0-7]", "0-7", 4, 0), entries, Detail.POOLS);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "slot=8/[core=4;port=20{unit:GB/s}] | YES | fits on 8 of 8 nodes",
                "slot=4/[core;port=30{unit:GB/s}] | YES | fits on 8 of 8 nodes",
                "slot=5/[core;port=30{unit:GB/s}] | NEVER | 5 slots with 30GB/s port asked; the port of subsystem bandwidth is enough for 4",
                "slot=8/[core=4;port=30{unit:GB/s}] | NEVER | 240GB/s port asked in total; subsystem bandwidth has 160GB/s port",
                "slot=5/[core;port=30000{unit:MB/s}] | NEVER | 5 slots with 30000MB/s port asked; the port of subsystem bandwidth is enough for 4",
                "slot=4/[core;port=30000{unit:MB/s}] | YES | fits on 8 of 8 nodes",
                "node=2/[core;pfs=50{unit:GB/s}] | YES | fits on 8 of 8 nodes",
                "node=2/[core;pfs=51{unit:GB/s}] | NEVER | 102GB/s pfs asked in total; subsystem bandwidth has 100GB/s pfs",
                "slot=2/licence | YES | fits outside of the nodes",
                "slot=3/licence | NEVER | 3 licence asked in total; subsystem shop has 2 licence",
                "[slot/core=4;licence=2] | YES | fits on 8 of 8 nodes",
                "node=9/licence | NEVER | 9 nodes asked; 8 are there",
                "rack=2/node=2/kw | YES | fits on 8 of 8 nodes",
                "rack=2/node=4/kw=2 | NEVER | 16 kw asked in total; subsystem power has 10 kw",
                "rack=2/node=2/kw=2 | UNKNOWN | Muster does not search how the request could share what flows through subsystem power",
                "node=2/[core;kw=3;port=30{unit:GB/s}] | UNKNOWN | Muster does not search how the request could share what flows through subsystem bandwidth",
                "kw/node=2 | UNKNOWN | type kw is in subsystem power, and Muster does not decide what is below it there",
                "slot/port=1{unit:kW} | INVALID | port is asked for in \"kW\", but the inventory counts it in \"GB/s\"",
                "slot/prot | NEVER | type \"prot\" does not occur in this inventory; it has cluster, core, kw, licence, node, pfs, port, power, rack, did you mean \"port\"?"
            })
    void resourcesOfAnotherSubsystemAreCheckedInThatSubsystem(String shape, Verdict verdict, String sentence)
            throws IOException {
        Feasibility feasibility = Feasibility.of(set("n[0-7]", "0-7", 4, 0), channels());
        Assessment answer = feasibility.ever(JobRequest.of(Shape.parse(shape)));
        assertThat(answer.sentence()).isEqualTo(sentence);
        assertThat(answer.verdict()).isEqualTo(verdict);
    }

    @Test
    void hostsBelowTheSameChannelShareItsCapacity() throws IOException {
        Feasibility feasibility = Feasibility.of(set("n[0-7]", "0-7", 4, 0), channels());
        JobRequest request = JobRequest.of(Shape.parse("slot=2/[core=4;port=20{unit:GB/s}]"));
        assertThat(feasibility.now(request, Idset.of(0, 1), 0).verdict()).isEqualTo(Verdict.YES);
        JobRequest more = JobRequest.of(Shape.parse("slot=2/[core=4;port=30{unit:GB/s}]"));
        assertThat(feasibility.now(more, Idset.of(0, 1), 0).verdict()).isEqualTo(Verdict.NOT_NOW);
        assertThat(feasibility.now(more, Idset.of(0, 2), 0).verdict()).isEqualTo(Verdict.YES);
        assertThat(feasibility
                        .with(set("n[0-7]", "0-7", 4, 0).keep(Idset.of(0, 1)))
                        .ever(more)
                        .verdict())
                .isEqualTo(Verdict.NEVER);
    }

    /**
     * A PDU above a rack serves the rack's hosts, of which R may have none at present. A licence is above no vertex and serves
     * all hosts.
     */
    @Test
    void aPduAboveRacksWithoutHostsInRServesNoHost() throws IOException {
        Problems problems = new Problems();
        List<GraphEntry> entries = GraphEntry.readAll(new JsonMapper().readTree("""
                [{"type": "pdu", "subsystem": "power", "holds": "rack"},
                 {"type": "licence", "subsystem": "shop"},
                 {"type": "rack", "hosts": "away[0-3]"}]
                """), "graph", problems);
        assertThat(problems.errors()).isEmpty();
        ResourceSet r = set("n[0-1]", "0-1", 4, 0);
        Feasibility feasibility = Feasibility.of(r, Structure.of(r, entries, Detail.POOLS));
        assertThat(feasibility.ever(JobRequest.of(Shape.parse("node/pdu=1"))).verdict())
                .isEqualTo(Verdict.NEVER);
        assertThat(feasibility
                        .ever(JobRequest.of(Shape.parse("node/licence=1")))
                        .verdict())
                .isEqualTo(Verdict.YES);
    }

    @Test
    void verticesThatAreDownInTheGraphCannotBeUsedNow() throws IOException {
        ResourceSet r = set("n[0-7]", "0-7", 4, 0);
        ResourceGraph graph = channels();
        Idset all = Idset.range(0, 7);
        JobRequest eight = JobRequest.of(Shape.parse("node=8/core=4"));
        Feasibility down = Feasibility.of(r, graph.state(graph.named(Set.of("n3")), "down"));
        assertThat(down.ever(eight).verdict()).isEqualTo(Verdict.YES);
        assertThat(down.now(eight, all, 0).sentence())
                .isEqualTo(
                        "fits the inventory, not now: 8 of 8 nodes up, but not usable: n3; 8 nodes with core >= 4 asked;"
                                + " all 7 have them (n[0-2,4-7]); it fits with node=7");
        assertThat(down.now(eight, all, 0).remarks()).containsExactly("some vertices of the graph are down");
        Feasibility rack = Feasibility.of(r, graph.state(graph.named(Set.of("rack0")), "drained"));
        assertThat(rack.now(JobRequest.of(Shape.parse("node=5")), all, 0).verdict())
                .isEqualTo(Verdict.NOT_NOW);
        assertThat(rack.now(JobRequest.of(Shape.parse("node=4")), all, 0).verdict())
                .isEqualTo(Verdict.YES);
        Feasibility pool = Feasibility.of(r, graph.state(new Paths(graph, r).find("/cluster0/rack0/n1/core"), "down"));
        assertThat(pool.now(JobRequest.of(Shape.parse("core=28")), all, 0).verdict())
                .isEqualTo(Verdict.YES);
        assertThat(pool.now(JobRequest.of(Shape.parse("core=29")), all, 0).verdict())
                .isEqualTo(Verdict.NOT_NOW);
        Feasibility port = Feasibility.of(r, graph.state(graph.named(Set.of("port0")), "down"));
        JobRequest wide = JobRequest.of(Shape.parse("slot=4/[core;port=30{unit:GB/s}]"));
        assertThat(port.now(wide, all, 0).verdict()).isEqualTo(Verdict.NOT_NOW);
        assertThat(port.ever(wide).verdict()).isEqualTo(Verdict.YES);
        Feasibility everything = Feasibility.of(r, graph.state(Idset.of(0), "down"));
        assertThat(everything.now(JobRequest.of(Shape.parse("node")), all, 0).verdict())
                .isEqualTo(Verdict.NOT_NOW);
    }

    /** Four nodes; two have fast memory and two gpus of a newer model, and the nodes of one rack are in row 7. */
    private static Feasibility models() throws IOException {
        Problems problems = new Problems();
        List<GraphEntry> entries = GraphEntry.readAll(new JsonMapper().readTree("""
                [{"type": "rack", "names": "rack1", "hosts": "n[0-1]", "properties": {"row": "7"}},
                 {"type": "rack", "names": "rack2", "hosts": "n[2-3]"},
                 {"type": "memory", "in": "node", "size": 64, "unit": "GB", "hosts": "n[0-1]", "properties": {"kind": "hbm"}},
                 {"type": "memory", "in": "node", "size": 256, "unit": "GB", "hosts": "n[2-3]"}]
                """), "graph", problems);
        assertThat(problems.errors()).isEmpty();
        ResourceSet r = set("n[0-3]", "0-3", 4, 0)
                .withProperty("gpu_model=h100", Idset.of(1, 2))
                .withProperty("ssd", Idset.of(1));
        return Feasibility.of(r, Structure.of(r, entries, Detail.POOLS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "node=2{gpu_model:h100} | YES | fits on 2 of 4 nodes",
                "node=3{gpu_model:h100} | NEVER | 3 nodes asked; 2 are there; 2 of 4 nodes have {gpu_model=h100}",
                "node=1{gpu_model:h100,ssd:true} | YES | fits on 1 of 4 nodes",
                "node=1{gpu_model:a100} | NEVER | 1 node asked; 0 are there; 0 of 4 nodes have {gpu_model=a100}",
                "[node{gpu_model:h100}/core;slot/core=5] | NEVER | 1 slot of core=5 asked; no node holds one; the most on one is 4 core",
                "node=2/memory=60{kind:hbm,unit:GB} | YES | fits on 2 of 4 nodes",
                "node=2/memory=65{kind:hbm,unit:GB} | NEVER | 2 nodes with memory{kind:hbm} >= 65GB asked; none of 4 have them; 2 have 64GB",
                "rack{row:7}/node=2 | YES | fits on 4 of 4 nodes",
                "rack=2{row:7}/node | NEVER | 2 rack{row:7} asked; 1 is there",
                "[node/memory=60{kind:hbm,unit:GB};node/memory=10{unit:GB}] | UNKNOWN | the request asks for some"
                        + " vertices with properties and for others without them, and Muster does not search how they"
                        + " could share what is there"
            })
    void verticesAreChosenByTheirProperties(String shape, Verdict verdict, String sentence) throws IOException {
        Assessment answer = models().ever(JobRequest.of(Shape.parse(shape)));
        assertThat(answer.sentence()).isEqualTo(sentence);
        assertThat(answer.verdict()).isEqualTo(verdict);
        assertThat(answer.remarks()).isEmpty();
    }

    @Test
    void ignoredKeysAreNamedInTheRemarks() throws IOException {
        Assessment answer = models().ever(JobRequest.of(Shape.parse("node{gpu_modle:h100}/slot/core=2{speed:[1]}")));
        assertThat(answer.verdict()).isEqualTo(Verdict.YES);
        assertThat(answer.remarks())
                .containsExactly(
                        "key \"gpu_modle\" of node was not looked at: no node has a property of this name",
                        "key \"speed\" of core was not looked at: the value is not a string");
        assertThat(FLUKES.ever(JobRequest.of(Shape.parse("node{ssd:true,gpu_model:h100}")))
                        .remarks())
                .containsExactly("key \"gpu_model\" of node was not looked at: no node has a property of this name");
    }
}
