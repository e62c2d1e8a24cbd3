package io.muster.daemon.core;

import io.muster.inventory.axis.Principal;
import io.muster.protocol.acquire.SentView;
import org.jspecify.annotations.Nullable;

/** The stream of one scheduler that holds an acquisition, with the view that the scheduler was last sent. */
public final class AcquireStream {
    private final Sink sink;
    private final Principal holder;
    private final double since;
    private final @Nullable String owner;
    private SentView sentView;
    private boolean begun;
    private boolean behind;
    private boolean muted;
    private long responses;

    /** @param owner the name under which the acquisition is kept when the connection ends, or null */
    AcquireStream(Sink sink, Principal holder, double since, @Nullable String owner, SentView sentView) {
        this.sink = sink;
        this.holder = holder;
        this.since = since;
        this.owner = owner;
        this.sentView = sentView;
    }

    public Principal holder() {
        return holder;
    }

    /** Returns when the scheduler acquired, in seconds since the epoch. */
    public double since() {
        return since;
    }

    public @Nullable String owner() {
        return owner;
    }

    public SentView sentView() {
        return sentView;
    }

    /** Returns the number of responses that were sent, including the first. */
    public long responses() {
        return responses;
    }

    /** Returns whether updates wait until the scheduler's socket can take more. */
    public boolean isBehind() {
        return behind;
    }

    public boolean isMuted() {
        return muted;
    }

    Sink sink() {
        return sink;
    }

    /** Returns whether the first response has been sent. */
    public boolean hasBegun() {
        return begun;
    }

    void begins(SentView first) {
        begun = true;
        sentView = first;
    }

    void mute() {
        muted = true;
    }

    void fallBehind() {
        behind = true;
    }

    void sent() {
        responses++;
    }

    void knows(SentView now) {
        sentView = now;
        behind = false;
    }
}
