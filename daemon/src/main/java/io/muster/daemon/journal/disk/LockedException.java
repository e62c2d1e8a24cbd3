package io.muster.daemon.journal.disk;

import java.io.IOException;

/** Another process works on the state directory; the message names it. */
public final class LockedException extends IOException {
    private final String holder;

    public LockedException(String directory, String holder) {
        super("state directory " + directory + " is in use by "
                + (holder.isEmpty() ? "a process that left no name in it" : holder));
        this.holder = holder;
    }

    /** What the holder wrote into the lock file: {@code pid 4711 on host7 since 2026-01-31T12:00:00Z}. */
    public String holder() {
        return holder;
    }
}
