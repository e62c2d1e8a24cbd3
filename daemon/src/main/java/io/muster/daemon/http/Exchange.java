package io.muster.daemon.http;

/** A request that waits for its response. Every method may be called on any thread. */
public interface Exchange {
    Ask ask();

    /**
     * Records that the sender has a right to this request. While the request is served, its connection is not closed to make
     * room for another one.
     */
    void entitle();

    /**
     * Counts bytes that the request keeps in memory until its connection is closed or the response has been sent.
     *
     * @return false if requests and responses take all memory that they may
     */
    boolean keep(long bytes);

    /** Sends the response. Calls after the first one have no effect. If the peer has disconnected, nothing is sent. */
    void answer(Answer answer);

    /** Sends a response whose body is the events of a reader, and lasts until the peer or the daemon ends it. */
    void follow(Broadcast.Reader reader);

    /** Returns whether the connection is closed, so that no client waits for the response. */
    boolean isGone();

    /** Calls {@code then} when the connection is closed, at once if it is closed already. */
    void whenGone(Runnable then);
}
