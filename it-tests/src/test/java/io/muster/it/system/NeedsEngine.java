package io.muster.it.system;

import io.muster.it.harness.Images;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Skips each test of a class if no container engine answers, so that the report names each test that did not run. */
final class NeedsEngine implements ExecutionCondition {
    private static final boolean THERE = Images.canBeMade();

    static boolean isThere() {
        return THERE;
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return THERE || context.getTestMethod().isEmpty()
                ? ConditionEvaluationResult.enabled("a container engine answers, or every test is asked by itself")
                : ConditionEvaluationResult.disabled("no container engine answers `docker info`");
    }
}
