package io.muster.daemon.journal.disk;

import java.io.IOException;

/** Thrown if another process uses a state directory or a socket. The message names that process. */
public final class LockedException extends IOException {
    /**
     * @param what what is in use, such as {@code state directory /var/lib/muster}
     * @param holder the text that the other process wrote into the lock file, such as {@code pid 4711 on host7 since
     *     2026-01-31T12:00:00Z}
     */
    public LockedException(String what, String holder) {
        super(what + " is in use by " + (holder.isEmpty() ? "a process that left no name in its lock file" : holder));
    }
}
