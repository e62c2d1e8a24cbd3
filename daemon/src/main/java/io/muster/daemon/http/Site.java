package io.muster.daemon.http;

import io.muster.daemon.access.Identity;
import org.jspecify.annotations.Nullable;

/** The content that is served at an address. The methods are called on the thread of the connection and must not block. */
public interface Site {
    /**
     * Returns the identity of a peer that connects, completed with the properties that can be found out only at that time.
     */
    default Identity accepted(Identity peer) {
        return peer;
    }

    /**
     * Checks a request before its body is read.
     *
     * @param head the request without its body
     * @throws Refusal if the request is not served
     */
    void check(Ask head);

    /**
     * Begins a request that was checked, before its body is read: charges it to its user if the user is known by now.
     *
     * @param exchange has the head of the request
     * @throws Refusal if the request is not served
     * @throws io.muster.daemon.account.Excess if the user is past a limit
     */
    default void begin(Exchange exchange) {}

    /**
     * Serves a request that was begun.
     *
     * @throws Refusal in place of a response
     */
    void serve(Exchange exchange);

    /**
     * Counts a response.
     *
     * @param head null if the head of the request was refused
     */
    default void answered(@Nullable Ask head, int status) {}
}
