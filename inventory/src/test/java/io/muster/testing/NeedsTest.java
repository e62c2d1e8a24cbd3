package io.muster.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

class NeedsTest {
    @Test
    void aTestWithoutNeedsRuns() {
        assertThat(NeedsCondition.evaluate().isDisabled()).isFalse();
    }

    @Test
    void theReasonForSkippingATestNamesOnlyWhatIsMissing() throws Exception {
        List<String> words = Files.readAllLines(Path.of("src/test/resources/io/muster/testing/needs")).stream()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split(" ", 2)[0])
                .toList();
        assertThat(words).isSorted().hasSizeGreaterThan(10);
        List<String> missing = words.stream()
                .filter(word -> NeedsCondition.evaluate(word).isDisabled())
                .toList();
        ConditionEvaluationResult all = NeedsCondition.evaluate(words.toArray(String[]::new));
        assertThat(all.isDisabled()).isEqualTo(!missing.isEmpty());
        if (all.isDisabled()) {
            assertThat(all.getReason()).contains("needs " + String.join(" ", missing));
        }
    }

    @Test
    void aWordThatTheTableLacksIsAnError() {
        assertThatThrownBy(() -> NeedsCondition.evaluate("etcds"))
                .isInstanceOf(ExtensionConfigurationException.class)
                .hasMessageContaining("etcds");
    }
}
