package io.muster.daemon.api;

import io.muster.daemon.access.Rights;
import io.muster.daemon.http.Exchange;
import io.muster.daemon.http.Refusal;
import io.muster.protocol.operation.Http;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.operation.RequestKeys;
import io.muster.protocol.operation.Right;
import io.muster.protocol.operation.Service;
import io.muster.protocol.rpc.Errno;
import io.muster.protocol.rpc.RpcException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is served at a path: an operation of the daemon, or something that only HTTP has.
 *
 * @param right the right that a user needs; null if no right is needed
 * @param operation null if only HTTP has it
 */
public record Place(
        Http http, @Nullable Right right, @Nullable Operation<Service, ?> operation, Action action) {
    private static final List<Place> ALL = table();

    private static List<Place> table() {
        List<Place> all = new ArrayList<>();
        for (Operation<Service, ?> operation : Operations.everywhere()) {
            Http http = operation.http();
            if (http != null) {
                all.add(new Place(
                        http,
                        operation.right(),
                        operation,
                        (api, exchange, rights) -> api.serve(operation, http, exchange, rights)));
            }
        }
        Http events = Http.get("events", "/v1/events").with(RequestKeys.OF_EVENTS);
        all.add(new Place(events, Right.FOLLOW, null, Api::events));
        all.add(new Place(Http.get("openapi", "/v1/openapi.json"), null, null, Api::document));
        all.add(new Place(Http.get("metrics", "/metrics"), Right.READ, null, Api::metrics));
        for (String probe : new String[] {"healthz", "readyz", "leader"}) {
            all.add(new Place(Http.get(probe, "/" + probe), null, null, Api::probe));
        }
        return List.copyOf(all);
    }

    /** Serves a request. Called on any thread. */
    interface Action {
        /** @param rights null if no right is needed */
        void serve(Api api, Exchange exchange, @Nullable Rights rights);
    }

    /** Returns all places, in the order of the table of operations. */
    public static List<Place> all() {
        return ALL;
    }

    /** Returns the refusal of a request for a key that the place does not have, with the sentence of the wire. */
    Refusal unknown(String key) {
        return HttpStatuses.of(
                operation == null
                        ? new RpcException(Errno.EPROTO, http.path() + ": /" + key + " is not a key of this request")
                        : operation.unknown(key));
    }

    boolean matches(String path) {
        return http.matches(path);
    }
}
