package io.muster.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/** Adds the failing seed to the failure's message, because a build's log shows messages but not display names. */
public final class SeedReport implements TestExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) {
        throw new AssertionError(context.getDisplayName() + ": " + failure.getMessage(), failure);
    }
}
