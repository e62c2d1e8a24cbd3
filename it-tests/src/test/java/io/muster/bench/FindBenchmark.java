package io.muster.bench;

import io.muster.inventory.find.Expression;
import io.muster.inventory.find.Search;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.util.Map;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Which vertices of a cluster with one kind of node satisfy an expression? Every core and every GPU is a vertex. */
public class FindBenchmark extends ClusterBenchmark {
    @Param({"1024", "1048576"})
    public int ranks = 1024;

    private ResourceSet r = ResourceSet.EMPTY;
    private ResourceGraph graph = ResourceGraph.of(r, Detail.UNITS);

    @Setup
    public void makeInventory() {
        r = ResourceSet.of(
                        Hostlist.parse("fluke[0-" + (ranks - 1) + "]"),
                        Idset.range(0, ranks - 1),
                        Idset.range(0, 47),
                        Idset.range(0, 3),
                        Map.of("batch", Idset.range(100, ranks - 1)))
                .withProperty("ssd", ids(ranks, rank -> rank % 7 != 3));
        graph = ResourceGraph.of(r, Detail.UNITS);
        graph = graph.extend(
                graph.nodesOf(r, ids(ranks, rank -> rank % 1000 == 7)), data -> data.withCondition("drained"));
    }

    private Search.Found found(String expression) {
        return Search.all(Expression.parse(expression)).in(graph, r);
    }

    @Benchmark
    public Search.Found byTypeAndProperty() {
        return found("node and property=batch");
    }

    @Benchmark
    public Search.Found byTypeAndScatteredPropertyAndState() {
        return found("node and property=ssd and not state=down");
    }

    @Benchmark
    public Search.Found partsOfOneNode() {
        return found("gpu in fluke77");
    }

    @Benchmark
    public Search.Found everyGpu() {
        return found("gpu");
    }

    @Benchmark
    public Search.Found nodesWithAGpu() {
        return found("node has gpu");
    }

    @Benchmark
    public Search.Found tenBest() {
        return new Search(Expression.parse("node and property=batch"), null, null, null, null, 10, "size").in(graph, r);
    }
}
