package io.muster.daemon.account;

import java.util.IdentityHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Memory that is held for one user, or for all users of some kinds together, with its limit. */
public class Memory {
    /** The total that this memory is a part of. */
    final @Nullable Memory total;

    private final AtomicLong held = new AtomicLong();
    /** The number of accounts that are parts of this total. */
    final AtomicInteger parts = new AtomicInteger();

    private volatile long most;
    /** The payloads that peers wait to read, each with the number of peers. A payload counts once. */
    private final IdentityHashMap<Object, int[]> answers = new IdentityHashMap<>();

    Memory(@Nullable Memory total, long most) {
        this.total = total;
        this.most = most;
    }

    /** Returns the number of bytes that are held. */
    public final long held() {
        return held.get();
    }

    final long most() {
        return most;
    }

    final void atMost(long bytes) {
        most = bytes;
    }

    final boolean isOver() {
        return held() > most;
    }

    final boolean isIn(Memory scope) {
        return this == scope || (total != null && total.isIn(scope));
    }

    final void add(long bytes) {
        held.addAndGet(bytes);
        if (total != null) {
            total.add(bytes);
        }
    }

    /** Returns the memory that has no room for more bytes: this one or a total; null if there is room. */
    final @Nullable Memory without(long bytes) {
        return without(bytes, 0);
    }

    /**
     * There is room for anything if nothing longer is held. In a full total, a part has room for the share that it gets if all parts get
     * the same.
     */
    private @Nullable Memory without(long bytes, long ofPart) {
        boolean fits = held() + bytes <= Math.max(most, 2 * bytes)
                || (ofPart > 0 && ofPart <= most / Math.max(1, parts.get()));
        return !fits || total == null ? (fits ? null : this) : total.without(bytes, held() + bytes);
    }

    /** Returns the number of peers that wait for an answer. */
    final int readers(Object answer) {
        int[] readers = answers.get(answer);
        return readers == null ? 0 : readers[0];
    }

    /** Notes that one more peer waits for an answer, which is compared by identity. */
    final void waits(Object answer, int length) {
        if (answers.computeIfAbsent(answer, key -> new int[1])[0]++ == 0) {
            held.addAndGet(length);
        }
        if (total != null) {
            total.waits(answer, length);
        }
    }

    final void isRead(Object answer, int length) {
        answers.computeIfPresent(answer, (key, readers) -> {
            if (--readers[0] > 0) {
                return readers;
            }
            held.addAndGet(-length);
            return null;
        });
        if (total != null) {
            total.isRead(answer, length);
        }
    }
}
