package io.muster.bench;

import io.muster.inventory.axis.Hold;
import io.muster.inventory.axis.Liveness;
import io.muster.inventory.axis.NoteEdit;
import io.muster.inventory.axis.Principal;
import io.muster.inventory.graph.Detail;
import io.muster.inventory.graph.Paths;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.graph.Structure;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.level.Level;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.state.Command;
import io.muster.inventory.state.DefinitionChanges;
import io.muster.inventory.state.Entry;
import io.muster.inventory.state.Event;
import io.muster.inventory.state.HoldChanges;
import io.muster.inventory.state.InventoryState;
import io.muster.inventory.state.NoteChanges;
import io.muster.inventory.status.LiveGraph;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.infra.Blackhole;

/** Changes that are decided, applied and encoded for the journal, with and without tags in the state. */
public class NoteBenchmark extends ClusterBenchmark {
    private static final Principal ADMIN = new Principal(0, "root", 1);
    /** The number of vertices that one request tags, and the distance of their hosts. */
    private static final int ANNOTATED = 10_000;

    private static final int STEP = 3;

    private static final double NOW = 1_700_000_000;

    @Param({"1024", "1048576"})
    public int ranks = 1024;

    /** The number of tags in the state, on every second host, so that the state stores each tag separately. */
    @Param({"0", "100000"})
    public int tags;

    private InventoryState state = InventoryState.empty();
    private ResourceGraph graph = Structure.of(ResourceSet.EMPTY, Detail.UNITS);
    private List<String> paths = List.of();
    private int next;

    @Setup
    public void makeInventory() {
        ResourceSet r = ResourceSet.of(
                Hostlist.parse("node[0-" + (ranks - 1) + "]"),
                Idset.range(0, ranks - 1),
                Idset.range(0, 47),
                Idset.range(0, 3),
                Map.of());
        InventoryState made = InventoryState.empty(Level.NEWEST);
        made = after(made, new DefinitionChanges.Define(r, "configuration", Liveness.Status.ONLINE), entry -> {});
        for (int first = 0; first < Math.min(2 * tags, ranks); first += 2 * ANNOTATED) {
            Idset hosts = ids(first, Math.min(first + 2 * ANNOTATED, ranks), id -> id % 2 == 0);
            made = after(made, tag(hosts.toString(), List.of(), "serial", "x"), entry -> {});
        }
        state = made;
        graph = Structure.of(r, Detail.UNITS);
        paths = IntStream.range(0, Math.min(ANNOTATED, ranks / STEP))
                .mapToObj(i -> "/cluster0/node" + STEP * i + "/gpu1")
                .toList();
    }

    private NoteChanges.Annotate tag(String targets, List<String> at, String key, String value) {
        return new NoteChanges.Annotate(targets, at, NoteEdit.tag(key, value)).with(now -> {
            Paths known = new Paths(graph, now.resources());
            return path -> LiveGraph.places(known, known.find(path));
        });
    }

    private static InventoryState after(InventoryState before, Command command, Consumer<byte[]> journal) {
        InventoryState changed = before;
        for (Event event : command.decide(before, NOW, ADMIN).events()) {
            Entry entry = new Entry(1, NOW, ADMIN, event, null);
            journal.accept(entry.toBytes());
            changed = entry.applyTo(changed);
        }
        return changed;
    }

    @Benchmark
    public InventoryState drainOfOneHost(Blackhole journal) {
        next = (next + 7919) % ranks;
        Command drain =
                new HoldChanges.Drain(Integer.toString(next), "bad dimm", HoldChanges.Mode.NONE, Hold.SHARED, 0);
        return after(state, drain, journal::consume);
    }

    @Benchmark
    public InventoryState tagOfTenThousandVerticesByPath(Blackhole journal) {
        return after(state, tag("", paths, "firmware", "7.1"), journal::consume);
    }
}
