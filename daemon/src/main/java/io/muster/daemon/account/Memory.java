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
    /** How many of these bytes are payloads that peers wait to read. */
    private final AtomicLong unread = new AtomicLong();
    /** The number of accounts that are parts of this total. */
    final AtomicInteger parts = new AtomicInteger();

    private volatile long most;
    /** What was held when connections were last asked to give way; 0 if there was room since. Belongs to the thread that serves them. */
    private long tolerated;

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

    /** Returns the limit in bytes. */
    public final long most() {
        return most;
    }

    final void atMost(long bytes) {
        most = bytes;
    }

    /** Returns the number of bytes that are held, without payloads that peers wait to read. */
    final long withoutAnswers() {
        return held.get() - unread.get();
    }

    /**
     * Returns whether connections must give way. To find which ones takes a look at each connection, so this is asked again only if more
     * is held than the last time, or much has been released in between.
     */
    final boolean isOver(boolean answers) {
        long now = answers ? held() : withoutAnswers();
        tolerated = now <= most ? 0 : Math.min(tolerated, now + most / 8);
        return now > Math.max(most, tolerated);
    }

    /** Notes that the connections that must give way have done so. */
    final void relieved(boolean answers) {
        tolerated = answers ? held() : withoutAnswers();
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

    /**
     * Returns the memory that has no room for more bytes: this one or a total; null if there is room. Answers that peers wait to read
     * take no room from anything else: they may be longer than the limit.
     */
    final @Nullable Memory without(long bytes) {
        return without(null, bytes, 0);
    }

    /** Returns the memory that has no room for an answer. One in which another peer waits for the same answer needs no room for it. */
    final @Nullable Memory without(Object answer, int length) {
        return without(answer, length, 0);
    }

    /**
     * There is room for anything if nothing longer is held. In a full total, a part has room for the share that it gets if all parts get
     * the same.
     */
    private @Nullable Memory without(@Nullable Object answer, long bytes, long ofPart) {
        if (answer != null && readers(answer) > 0) {
            return null;
        }
        long after = bytes + (answer == null ? withoutAnswers() : held());
        boolean fits = after <= Math.max(most, 2 * bytes) || (ofPart > 0 && ofPart <= most / Math.max(1, parts.get()));
        return !fits || total == null ? (fits ? null : this) : total.without(answer, bytes, after);
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
            unread.addAndGet(length);
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
            unread.addAndGet(-length);
            return null;
        });
        if (total != null) {
            total.isRead(answer, length);
        }
    }
}
