package io.muster.daemon.http;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.Excess;
import org.jspecify.annotations.Nullable;

/** A request that waits for its response. Every method may be called on any thread. */
public interface Exchange {
    Ask ask();

    /**
     * Records that the sender has a right to this request, which ends with {@link Account#end} when the connection is closed or the
     * response has been sent. While the request is served, its connection is not closed to make room for another one.
     *
     * @param user the account in which the request has begun
     * @throws Excess if the user has no room for what the request keeps; then the request has ended in the account
     */
    void charge(Account user);

    /** Returns the account of the user, also after the connection is closed; null before {@link #charge}. */
    @Nullable
    Account account();

    /**
     * Counts bytes that the request keeps in memory until its connection is closed or the response has been sent.
     *
     * @throws Excess if the user has no more room
     */
    void keep(long bytes);

    /** Sends the response. Calls after the first one have no effect. If the peer has disconnected, nothing is sent. */
    void answer(HttpAnswer answer);

    /** Sends a response whose body is the events of a reader, and lasts until the peer or the daemon ends it. */
    void follow(Broadcast.Reader reader);

    /** Returns whether the connection is closed, so that no client waits for the response. */
    boolean isGone();

    /** Calls {@code then} when the connection is closed, at once if it is closed already. */
    void whenGone(Runnable then);
}
