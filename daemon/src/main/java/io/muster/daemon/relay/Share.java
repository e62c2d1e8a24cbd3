package io.muster.daemon.relay;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Counts what one user of this host has open, over all connections of the user, so that one user cannot use up the limits
 * that the daemon sets for the relay.
 */
final class Share {
    static final int MOST_CONNECTIONS = 512;
    static final int MOST_STREAMS = 64;
    /** Requests that are no streams. Further ones stay unread in their sockets. */
    static final int MOST_REQUESTS = 1024;

    private final Set<Local> connections = new LinkedHashSet<>();
    private int streams;
    private int requests;

    /** Returns false if there is no room. */
    boolean enter(Local local) {
        return connections.size() < MOST_CONNECTIONS && connections.add(local);
    }

    /** Returns whether this was the last connection of the user. */
    boolean leave(Local local) {
        connections.remove(local);
        return connections.isEmpty();
    }

    boolean takesStreams() {
        return streams < MOST_STREAMS;
    }

    boolean takesRequests() {
        return requests < MOST_REQUESTS;
    }

    void begin(boolean isStream) {
        streams += isStream ? 1 : 0;
        requests += isStream ? 0 : 1;
    }

    /** Ends a request. Connections that were not read because of the limits are read again when there is room. */
    void end(boolean isStream) {
        boolean was = takesRequests();
        streams -= isStream ? 1 : 0;
        requests -= isStream ? 0 : 1;
        if (!was && takesRequests()) {
            List.copyOf(connections).forEach(Local::resume);
        }
    }
}
