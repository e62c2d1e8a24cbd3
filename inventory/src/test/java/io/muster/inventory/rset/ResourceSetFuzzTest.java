package io.muster.inventory.rset;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.json.StrictJson;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.Problems;
import java.nio.charset.StandardCharsets;

/** Any bytes are either refused with problems, or read into a set that is written as it was read. */
class ResourceSetFuzzTest {
    @FuzzTest
    void anyBytesAreRefusedOrReadWithoutLoss(byte[] bytes) {
        ResourceSet set;
        try {
            set = ResourceSet.parse(bytes);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        assertThat(set.hosts().size()).isEqualTo(set.ranks().size());
        assertThat(ResourceSet.parse(set.toBytes())).isEqualTo(set);
        assertThat(new String(ResourceSet.parse(set.toString()).toBytes(), StandardCharsets.UTF_8))
                .isEqualTo(set.toString());
        assertThat(set.prune(set.ranks()).resources().ranks().isEmpty()).isTrue();
    }

    @FuzzTest
    void anyConfigIsRefusedOrGivesASet(byte[] bytes) {
        Problems problems = new Problems();
        var tree = StrictJson.read(bytes, problems);
        if (tree == null) {
            assertThat(problems.isEmpty()).isFalse();
            return;
        }
        var set = ResourceSet.fromConfig(ConfigEntry.readAll(tree, "resource.config", problems), problems);
        assertThat(set == null).isEqualTo(!problems.isEmpty());
    }
}
