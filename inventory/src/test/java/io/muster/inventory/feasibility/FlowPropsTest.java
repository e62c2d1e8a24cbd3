package io.muster.inventory.feasibility;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.inventory.graph.EdgeKind;
import io.muster.inventory.graph.Pool;
import io.muster.inventory.graph.PoolKind;
import io.muster.inventory.graph.ResourceGraph;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.request.JobRequest;
import io.muster.inventory.request.Shape;
import io.muster.inventory.rset.ResourceSet;
import io.muster.testing.Seeds;
import java.util.Map;
import java.util.Random;

/** Slots that use a flow fit if and only if some distribution of the slots over the hosts overloads no channel. */
class FlowPropsTest {
    private static final int HOSTS = 4;

    private final int[] cores = new int[HOSTS];
    /** Whether the other channels are below channel 0; otherwise each is the top of its own tree. */
    private boolean oneTop;
    /** For each host, the channel that it is below, -1 for none. */
    private final int[] channel = new int[HOSTS];

    private final int[] sizes = new int[4];

    private ResourceGraph graph(Random random) {
        ResourceGraph.Builder b = ResourceGraph.builder();
        oneTop = random.nextBoolean();
        int cluster = b.vertex("cluster", Pool.of(PoolKind.of("cluster", 1), 0), -1);
        for (int i = 0; i < HOSTS; i++) {
            channel[i] = random.nextInt(5) - 1;
        }
        channel[random.nextInt(HOSTS)] = 0;
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = i == 0 ? random.nextInt(30) : random.nextInt(12);
            b.vertex("bw" + i, Pool.of(PoolKind.of("bw", sizes[i]), i), -1);
            if (i > 0 && oneTop) {
                b.edge(b.find("bw0"), b.find("bw" + i), EdgeKind.of("flow", EdgeKind.CONDUIT_OF));
            }
        }
        boolean racks = random.nextBoolean();
        for (int i = 0; i < sizes.length && racks; i++) {
            int rack = b.vertex("rack" + i, Pool.of(PoolKind.of("rack", 1), i), -1);
            b.edge(cluster, rack, EdgeKind.contains());
            if (b.find("bw" + i) >= 0) {
                b.edge(b.find("bw" + i), rack, EdgeKind.of("flow", EdgeKind.CONDUIT_OF));
            }
        }
        for (int i = 0; i < HOSTS; i++) {
            cores[i] = 1 + random.nextInt(4);
            int node = b.vertex("n" + i, Pool.of(PoolKind.of("node", 1), i), i);
            boolean inRack = racks && channel[i] >= 0;
            b.edge(inRack ? b.find("rack" + channel[i]) : cluster, node, EdgeKind.contains());
            b.edge(node, b.vertex("c" + i, Pool.of(PoolKind.of("core", cores[i]), 0), i), EdgeKind.contains());
            if (channel[i] >= 0 && !racks) {
                b.edge(b.find("bw" + channel[i]), node, EdgeKind.of("flow", EdgeKind.CONDUIT_OF));
            }
        }
        return b.build();
    }

    private boolean fits(int host, int remaining, int[] slots, int each, int draw) {
        if (host == HOSTS) {
            return remaining == 0 && isCarried(slots, draw);
        }
        for (int n = 0; n * each <= cores[host] && n <= remaining; n++) {
            slots[host] = n;
            if (fits(host + 1, remaining - n, slots, each, draw)) {
                return true;
            }
        }
        return false;
    }

    private boolean isCarried(int[] slots, int draw) {
        int[] load = new int[sizes.length];
        for (int host = 0; host < HOSTS; host++) {
            if (channel[host] < 0 && slots[host] > 0) {
                return false;
            }
            for (int c : channel[host] > 0 && oneTop
                    ? new int[] {0, channel[host]}
                    : new int[] {Math.max(0, channel[host])}) {
                load[c] += slots[host] * draw;
            }
        }
        for (int c = 0; c < load.length; c++) {
            if (load[c] > sizes[c]) {
                return false;
            }
        }
        return true;
    }

    @Seeds
    void slotsFitIfNoChannelIsOverloaded(Random random) {
        ResourceGraph graph = graph(random);
        ResourceSet r = ResourceSet.EMPTY;
        for (int i = 0; i < HOSTS; i++) {
            r = r.append(ResourceSet.of(
                    Hostlist.of("node" + i), Idset.of(i), Idset.range(0, cores[i] - 1), Idset.EMPTY, Map.of()));
        }
        Feasibility feasibility = Feasibility.of(r, graph);
        for (int slots = 1; slots < 8; slots++) {
            int each = 1 + random.nextInt(3);
            int draw = 1 + random.nextInt(6);
            JobRequest request = JobRequest.of(Shape.parse("slot=" + slots + "/[core=" + each + ";bw=" + draw + "]"));
            Assessment answer = feasibility.ever(request);
            assertThat(answer.verdict())
                    .as(answer.sentence())
                    .isEqualTo(fits(0, slots, new int[HOSTS], each, draw) ? Verdict.YES : Verdict.NEVER);
        }
    }
}
