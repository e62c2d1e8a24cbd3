package io.muster.cli.terminal;

import java.io.IOException;
import java.io.InterruptedIOException;

/** Makes the thread wait. */
public final class Pause {
    private Pause() {}

    /**
     * Waits.
     *
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status stays set
     */
    public static void of(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
