package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.problem.MalformedException;
import java.util.List;

class RequestFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void aShapeIsReadOrRefusedWithAColumn(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        List<Resource> resources;
        try {
            resources = Shape.parse(text);
        } catch (MalformedException e) {
            assertThat(e.position()).isBetween(0, text.length());
            assertThat(Shape.caret(e)).contains("^");
            return;
        }
        assertThat(Shape.parse(Shape.print(resources))).isEqualTo(resources);
    }

    @FuzzTest(maxDuration = "30s")
    void aJobspecIsReadOrRefused(FuzzedDataProvider data) {
        Jobspec.Level level = data.pickValue(Jobspec.Level.values());
        String text = data.consumeRemainingAsString();
        Jobspec jobspec;
        try {
            jobspec = Jobspec.parse(text, level);
        } catch (InvalidException e) {
            assertThat(e.problems()).isNotEmpty();
            return;
        }
        assertThat(Jobspec.parse(jobspec.toJson(), level).resources()).isEqualTo(jobspec.resources());
    }

    @FuzzTest(maxDuration = "30s")
    void aCountIsReadOrRefused(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        try {
            Count count = Count.parse(text);
            assertThat(Count.parse(count.toString())).isEqualTo(count);
            assertThat(CountTest.members(count).limit(3)).allMatch(n -> n >= count.min() && n <= count.max());
        } catch (MalformedException e) {
            assertThat(e.position()).isBetween(0, text.length());
        }
    }
}
