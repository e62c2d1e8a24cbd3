package io.muster.daemon;

import java.util.function.LongSupplier;

/**
 * Collects all garbage when a burst is over. The serial collector of Java 25 lets the heap grow up to its limit before it looks at objects
 * that have survived once, so a daemon would keep the memory of its largest burst.
 */
final class Garbage {
    /** A heap that is not larger than twice this is not worth a collection. */
    private static final long SMALL = 32 << 20;

    private final LongSupplier heap;
    private final Runnable collection;
    private long seq = -1;
    private long kept = SMALL;

    /**
     * Looks at one heap.
     *
     * @param heap the number of bytes that the heap takes
     * @param collection collects garbage and makes the heap smaller
     */
    Garbage(LongSupplier heap, Runnable collection) {
        this.heap = heap;
        this.collection = collection;
    }

    /**
     * Collects if the heap is more than twice as large as after the last collection. Must be called from time to time.
     *
     * @param now the seq of the last change; a daemon that changed something since the last call is not interrupted
     */
    void look(long now) {
        if (now == seq && heap.getAsLong() > 2 * kept) {
            collection.run();
            kept = Math.max(SMALL, heap.getAsLong());
        }
        seq = now;
    }
}
