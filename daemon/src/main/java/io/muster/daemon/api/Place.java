package io.muster.daemon.api;

import io.muster.daemon.access.Rights;
import io.muster.daemon.http.Exchange;
import io.muster.protocol.operation.Http;
import io.muster.protocol.operation.Operation;
import io.muster.protocol.operation.Operations;
import io.muster.protocol.operation.Right;
import io.muster.protocol.operation.Service;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is served at a path: an operation of the daemon, or something that only HTTP has.
 *
 * @param right the right that a user needs; null if no right is needed
 */
public record Place(Http http, @Nullable Right right, Action action) {
    private static final List<Place> ALL = table();

    private static List<Place> table() {
        List<Place> all = new ArrayList<>();
        for (Operation<Service, ?> operation : Operations.everywhere()) {
            Http http = operation.http();
            if (http != null) {
                all.add(new Place(
                        http,
                        operation.right(),
                        (api, exchange, rights) -> api.serve(operation, http, exchange, rights)));
            }
        }
        Http events = Http.get("events", "/v1/events", Http.number("since"), Http.text("filter"));
        all.add(new Place(events, Right.FOLLOW, Api::events));
        all.add(new Place(Http.get("openapi", "/v1/openapi.json"), null, Api::document));
        all.add(new Place(Http.get("metrics", "/metrics"), Right.READ, Api::metrics));
        for (String probe : new String[] {"healthz", "readyz", "leader"}) {
            all.add(new Place(Http.get(probe, "/" + probe), null, Api::probe));
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

    boolean matches(String path) {
        return http.matches(path);
    }
}
