package io.muster.daemon.core;

/** One follower of the journal, and how far it has come. */
public final class JournalStream {
    private final Sink sink;
    private final long sentinelAfter;
    private long next;
    private boolean sentinelSent;

    /** @param sentinelAfter the last event that is history to this follower */
    JournalStream(Sink sink, long next, long sentinelAfter) {
        this.sink = sink;
        this.next = next;
        this.sentinelAfter = sentinelAfter;
    }

    Sink sink() {
        return sink;
    }

    /** The seq of the next event that it has not been sent. */
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

    /** Events that may go into one response: none of them may cross from history to what is new. */
    long limit(long last) {
        return sentinelSent ? last : Math.min(last, sentinelAfter);
    }
}
