package io.muster.daemon.cli.console;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Waiting for nothing but time. */
public final class Pause {
    private Pause() {}

    /** @throws InterruptedIOException if the thread is interrupted, which it stays */
    public static void of(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
