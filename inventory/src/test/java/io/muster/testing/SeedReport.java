package io.muster.testing;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/** Adds the failing seed to the failure's message, because a build's log shows messages but not display names. */
public final class SeedReport implements TestExecutionExceptionHandler {
    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        if (failure instanceof TestAbortedException) {
            throw failure;
        }
        throw new AssertionError(context.getDisplayName() + ": " + failure.getMessage(), failure);
    }
}
