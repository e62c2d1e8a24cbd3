package io.muster.daemon.http;

import java.util.concurrent.atomic.AtomicLong;

/** Limits the memory for bodies that arrive and responses that peers have not read, of all connections together. */
public final class Budget {
    private static final int SHARE_OF_HEAP = 8;

    private final long most;
    private final AtomicLong held = new AtomicLong();

    public Budget(long most) {
        this.most = most;
    }

    /** Returns a budget of an eighth of the heap. */
    public static Budget ofHeap() {
        return new Budget(Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }

    /**
     * Takes room for some bytes. If nothing else is held, a body of any length has room, so that a long body is not refused
     * for ever.
     */
    boolean take(long bytes) {
        long now = held.addAndGet(bytes);
        if (now > most && now != bytes) {
            held.addAndGet(-bytes);
            return false;
        }
        return true;
    }

    void free(long bytes) {
        held.addAndGet(-bytes);
    }

    /** Returns the number of bytes that are held. */
    public long held() {
        return held.get();
    }
}
