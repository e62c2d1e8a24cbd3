package io.muster.inventory.graph;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.problem.InvalidException;

class JgfFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void aGraphIsReadOrRefused(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        ResourceGraph graph;
        try {
            graph = Jgf.read(text);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        assertThat(Jgf.toJson(Jgf.read(Jgf.toJson(graph, Jgf.Form.TERSE)), Jgf.Form.TERSE))
                .isEqualTo(Jgf.toJson(graph, Jgf.Form.TERSE));
    }
}
