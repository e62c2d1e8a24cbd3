package io.muster.inventory.request;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.api.FuzzedDataProvider;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.muster.inventory.problem.MalformedException;

class QueryFuzzTest {
    @FuzzTest(maxDuration = "30s")
    void aQueryIsReadOrRefusedWithAColumn(FuzzedDataProvider data) {
        String text = data.consumeRemainingAsString();
        Constraint constraint;
        try {
            constraint = Query.parse(text);
        } catch (MalformedException e) {
            assertThat(e.position()).isBetween(0, text.length());
            assertThat(Shape.caret(e)).contains("^");
            return;
        }
        assertThat(Constraint.parse(constraint.toJson())).isEqualTo(constraint);
    }
}
