package io.muster.daemon.relay;

import io.muster.daemon.account.Account;
import io.muster.daemon.account.Excess;
import io.muster.daemon.account.Limit;
import io.muster.protocol.wire.Request;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The requests of one connection that have not had their last response, and what they take from the account of the user. */
final class OpenRequests {
    /** Requests of a connection that are no streams. Further ones stay unread in the socket. */
    private static final int MOST_OPEN = 128;

    private static final int MOST_STREAMS = 64;
    /** Requests of all connections of a user. Further ones stay unread, but each connection may have one, and a read may bring many. */
    private static final int MOST_REQUESTS = 1024;
    /** When so many are left, all connections of the user are read again. */
    private static final int RESUME_REQUESTS = MOST_REQUESTS - MOST_OPEN;

    private final Map<Key, Open> open = new LinkedHashMap<>();
    private int streams;
    /** The bytes of the open requests. */
    private long taken;

    /** The key of an open request, unique within one connection. */
    private record Key(List<String> routes, int matchtag) {}

    /** A request that has not had its last response. */
    static final class Open {
        final Request request;
        /** The acquisition that the request opened; null for any other request. */
        final @Nullable Held held;

        final long since;
        boolean sent;
        private final long bytes;

        private Open(Request request, @Nullable Held held, long since) {
            this.request = request;
            this.held = held;
            this.since = since;
            this.bytes = Account.size(request);
        }
    }

    private static Limit limit(Request request) {
        return request.isStreaming() ? Limit.STREAMS : Limit.REQUESTS;
    }

    @Nullable
    Open find(List<String> routes, int matchtag) {
        return open.get(new Key(routes, matchtag));
    }

    List<Open> all() {
        return List.copyOf(open.values());
    }

    long taken() {
        return taken;
    }

    /**
     * Counts a request, which {@link #add} adds next.
     *
     * @throws Excess if the user may have no more
     */
    void checkRoom(Request request, Account account) {
        account.checkRoom(Account.size(request), taken);
        boolean isStream = request.isStreaming();
        int mostRequests = 2 * MOST_REQUESTS + (open.size() == streams ? RelayLoop.MOST_OF_USER : 0);
        account.begin(
                limit(request),
                isStream ? MOST_STREAMS : mostRequests,
                (isStream ? "streams" : "requests") + " open through the relay of this host");
    }

    Open add(Request request, @Nullable Held held, long now, Account account) {
        Open opened = new Open(request, held, now);
        open.put(new Key(request.routes(), request.matchtag()), opened);
        account.take(opened.bytes);
        taken += opened.bytes;
        streams += request.isStreaming() ? 1 : 0;
        return opened;
    }

    /**
     * Gives back what a request has in the account.
     *
     * @return whether all connections of the user are to be read again
     */
    boolean end(Open ended, Account account) {
        Request request = ended.request;
        open.remove(new Key(request.routes(), request.matchtag()));
        account.end(limit(request));
        account.give(ended.bytes);
        taken -= ended.bytes;
        streams -= request.isStreaming() ? 1 : 0;
        return !request.isStreaming() && account.count(Limit.REQUESTS) == RESUME_REQUESTS;
    }

    /** Returns whether the connection may have one more request that is no stream. */
    boolean mayHaveMore(Account account) {
        int requests = open.size() - streams;
        return requests < MOST_OPEN && (requests == 0 || account.count(Limit.REQUESTS) < MOST_REQUESTS);
    }
}
