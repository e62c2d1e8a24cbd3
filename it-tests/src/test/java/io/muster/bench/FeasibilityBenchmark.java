package io.muster.bench;

import io.muster.inventory.feasibility.Assessment;
import io.muster.inventory.feasibility.Feasibility;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.Constraint;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Jobspec;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** "Could this ever run here?" over inventories of four kinds of node and three properties. */
public class FeasibilityBenchmark extends ClusterBenchmark {
    private static final String CONSTRAINT = """
            {"and": [{"properties": ["batch", "^ssd"]}, {"not": [{"hostlist": ["fluke[200-300]"]}]}]}
            """;

    @Param({"1024", "102400", "1048576"})
    public int ranks = 1024;

    private ResourceSet r = ResourceSet.EMPTY;
    private Feasibility feasibility = Feasibility.of(ResourceSet.EMPTY);
    private Idset up = Idset.EMPTY;
    private JobRequest slots = JobRequest.of(List.of());
    private JobRequest never = slots;
    private JobRequest sharing = slots;
    private String jobspec = "";

    @Setup
    public void makeInventory() {
        int quarter = ranks / 4;
        for (int kind = 0; kind < 4; kind++) {
            int first = kind * quarter;
            r = r.append(ResourceSet.of(
                    Hostlist.parse("fluke[" + first + "-" + (first + quarter - 1) + "]"),
                    Idset.range(first, first + quarter - 1),
                    Idset.range(0, 31 + 16 * kind),
                    kind == 0 ? Idset.EMPTY : Idset.range(0, 2 * kind - 1),
                    Map.of()));
        }
        r = r.withProperty("ssd", Idset.range(quarter / 2, ranks / 2))
                .withProperty("batch", Idset.range(100, ranks - 1))
                .withProperty("debug", Idset.range(0, 99));
        feasibility = Feasibility.of(r);
        up = ids(ranks, rank -> rank % 1000 != 7);
        makeRequests();
    }

    private void makeRequests() {
        Constraint batch = Constraint.parse(CONSTRAINT);
        slots = new JobRequest(Shape.parse("slot=" + ranks / 2 + "/[core=4;gpu]"), batch, 3600);
        never = new JobRequest(Shape.parse("node=" + ranks / 2 + "/[core=8;gpu=6]"), batch, 3600);
        sharing = JobRequest.of(Shape.parse("[slot=300{a}/[core=20;gpu];slot=200{b}/[core=9]]"));
        jobspec = Jobspec.of(Shape.parse("slot=" + ranks / 2 + "/[core=4;gpu]"), List.of("app"), 3600)
                .toJson()
                .toString();
    }

    @Benchmark
    public Assessment slotsEver() {
        return feasibility.ever(slots);
    }

    @Benchmark
    public Assessment neverWithItsReason() {
        return feasibility.ever(never);
    }

    @Benchmark
    public Assessment slotsNowWithScatteredDowns() {
        return feasibility.now(slots, up, 0);
    }

    @Benchmark
    public Assessment twoKindsOfSlotSharingNodes() {
        return feasibility.ever(sharing);
    }

    @Benchmark
    public Assessment jobspecParsedAndAnswered() {
        return feasibility.ever(Jobspec.parse(jobspec, Jobspec.Level.CANONICAL).request());
    }

    @Benchmark
    public Feasibility inventoryFolded() {
        return Feasibility.of(r);
    }

    @Benchmark
    public ResourceGraph graphMade() {
        return ResourceGraph.of(r, Detail.POOLS);
    }
}
