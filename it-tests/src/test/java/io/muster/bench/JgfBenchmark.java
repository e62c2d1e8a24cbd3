package io.muster.bench;

import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Jgf;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.rset.ResourceSet;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Reads a graph with every core and GPU as a vertex from a file, in a heap of 300 MB. */
@Fork(value = 1, jvmArgsAppend = "-Xmx300m")
public class JgfBenchmark extends ClusterBenchmark {
    /** Vertices of one node: itself, 48 cores and 4 GPUs. */
    private static final int EACH = 53;

    private static final int MEGABYTE = 1_000_000;

    @Param({"10000", "350000"})
    public int vertices = 10_000;

    private Path file = Path.of("");

    /** The memory in the heap that the last graph uses. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Heap {
        public double retainedMegabytes;
        private long before;
        private @Nullable ResourceGraph graph;

        private static long used() {
            System.gc();
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }

        @Setup(Level.Iteration)
        public void measure() {
            graph = null;
            before = used();
        }

        @TearDown(Level.Iteration)
        public void subtract() {
            retainedMegabytes = (double) (used() - before) / MEGABYTE;
        }
    }

    @Setup
    public void write() throws IOException {
        int nodes = vertices / EACH;
        ResourceSet r = ResourceSet.of(
                Hostlist.parse("node[0-" + (nodes - 1) + "]"),
                Idset.range(0, nodes - 1),
                Idset.range(0, 47),
                Idset.range(0, 3),
                Map.of("batch", Idset.range(0, nodes / 2)));
        file = Files.createTempFile("muster-bench", ".json");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            Jgf.write(ResourceGraph.of(r, Detail.UNITS), Jgf.Form.FULL, out);
        }
    }

    @TearDown
    public void delete() throws IOException {
        Files.delete(file);
    }

    @Benchmark
    public ResourceGraph read(Heap heap) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            heap.graph = Jgf.read(in);
            return heap.graph;
        }
    }
}
