package io.muster.daemon.core;

/** The stream of one follower of the journal, with the position of the follower. */
public final class JournalStream {
    private final Sink sink;
    private final long sentinelAfter;
    private final boolean numbered;
    private long next;
    private boolean sentinelSent;

    /**
     * @param next the seq of the first entry to send
     * @param sentinelAfter the seq of the last entry that is history for this follower
     * @param numbered whether the follower is sent the seq of each entry, so that the follower can later continue after that
     * entry
     */
    JournalStream(Sink sink, long next, long sentinelAfter, boolean numbered) {
        this.sink = sink;
        this.next = next;
        this.sentinelAfter = sentinelAfter;
        this.numbered = numbered;
    }

    Sink sink() {
        return sink;
    }

    boolean isNumbered() {
        return numbered;
    }

    /** Returns the seq of the first entry that the follower has not been sent. */
    long next() {
        return next;
    }

    void sentUpTo(long seq) {
        next = seq + 1;
    }

    boolean owesSentinel() {
        return !sentinelSent && next > sentinelAfter;
    }

    void sentinelSent() {
        sentinelSent = true;
    }

    /**
     * Returns the seq of the last entry that may be part of the next response: a response never holds both history and new
     * entries.
     */
    long limit(long last) {
        return sentinelSent ? last : Math.min(last, sentinelAfter);
    }
}
