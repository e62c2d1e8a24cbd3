package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.JsonNode;
import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.Problems;
import io.muster.inventory.rset.Pruned;
import io.muster.inventory.rset.ResourceSet;
import io.muster.inventory.rset.TreePool;
import java.util.Map;
import java.util.Objects;

/** Any topology is refused with problems, or becomes a graph and follows its ranks. */
class TreePoolFuzzTest {
    private static final ResourceSet R =
            ResourceSet.of(Hostlist.parse("n[0-3]"), Idset.range(0, 3), Idset.range(0, 7), Idset.of(0, 1), Map.of());

    @FuzzTest(maxDuration = "30s")
    void aTopologyIsReadOrRefused(FuzzedDataProvider data) {
        JsonNode children = StrictJson.read(data.consumeRemainingAsString(), new Problems());
        if (children == null || children.isMissingNode()) {
            return;
        }
        JsonNode scheduling = children.isArray()
                ? StrictJson.read("{\"writer\":\"TreePool\",\"children\":" + children + "}", new Problems())
                : children;
        ResourceSet r = R.withScheduling(Objects.requireNonNull(scheduling));
        Problems problems = new Problems();
        TreePool pool = TreePool.read(r, problems);
        Pruned pruned = r.prune(Idset.of(1));
        if (pool == null) {
            assertThat(TreePool.isWriterOf(r.scheduling())).isEqualTo(!problems.isEmpty());
            return;
        }
        assertThat(pruned.scheduling()).isNotEqualTo(Pruned.Scheduling.DROPPED);
        assertThat(Structure.of(r, Detail.POOLS).rank(2)).isEqualTo(1);
        TreePool less = Objects.requireNonNull(TreePool.read(pruned.resources(), problems));
        assertThat(problems.errors()).isEmpty();
        less.entries().forEach(e -> assertThat(e.ranks().contains(1)).isFalse());
        TreePool again = Objects.requireNonNull(TreePool.read(r.withScheduling(pool.toJson()), problems));
        assertThat(again.toJson()).isEqualTo(pool.toJson());
    }
}
