package io.muster.daemon.api;

import io.muster.inventory.state.InventoryState;
import io.muster.protocol.operation.Right;
import io.muster.protocol.wire.Bytes;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The routes of the API: the method and the path of each, the right that a user needs for it, the parameters that it takes, and the
 * function that serves it. {@code openapi.json} describes them for programs.
 */
@SuppressWarnings("ImmutableEnumChecker") // the actions have no state
public enum Route {
    STATUS("GET", "/v1/status", Right.READ, view(Views::status), "targets", "states", "expand"),
    HOSTS("GET", "/v1/hosts", Right.READ, view(Views::hosts), "targets", "states", "limit", "after"),
    HOST("GET", "/v1/hosts/{host}", Right.READ, view(Views::host)),
    HOLDS("GET", "/v1/holds", Right.READ, view(Views::holds), "targets", "expand"),
    HOLD("POST", "/v1/holds", Right.HOLD, Holds::place, "dry-run"),
    LIFT("DELETE", "/v1/holds", Right.HOLD, Holds::lift, "targets", "holder", "reason", "mode", "dry-run"),
    ALERTS("POST", "/v1/alerts", Right.ALERTS, Alerts::receive),
    HISTORY("GET", "/v1/history", Right.FOLLOW, Pasts::history, "targets", "since", "until", "notes"),
    REPORT("GET", "/v1/report", Right.FOLLOW, Pasts::report, "by", "states", "since", "until"),
    FIND(
            "GET",
            "/v1/find",
            Right.READ,
            Api::find,
            "expr",
            "subsystem",
            "from",
            "prune",
            "order",
            "best",
            "by",
            "output"),
    FEASIBILITY("POST", "/v1/feasibility", Right.READ, Api::feasibility),
    R("GET", "/v1/R", Right.READ, view(Views::resources)),
    LAYOUT("GET", "/v1/layout", Right.READ, view(Standing::layout)),
    SERVICE("GET", "/v1/service", Right.READ, Standing::service),
    EVENTS("GET", "/v1/events", Right.FOLLOW, Api::events, "since", "filter"),
    OPENAPI("GET", "/v1/openapi.json", null, Api::document),
    METRICS("GET", "/metrics", Right.READ, Api::metrics),
    HEALTHZ("GET", "/healthz", null, Api::probe),
    READYZ("GET", "/readyz", null, Api::probe),
    LEADER("GET", "/leader", null, Api::probe);

    private static final String VARIABLE = "{host}";

    private final String method;
    private final String path;
    private final @Nullable Right right;
    private final Action action;
    private final List<String> params;

    Route(String method, String path, @Nullable Right right, Action action, String... params) {
        this.method = method;
        this.path = path;
        this.right = right;
        this.action = action;
        this.params = List.of(params);
    }

    /** Serves a request whose user has the right. Called on any thread. */
    interface Action {
        void serve(Api api, Call call);
    }

    /** Makes the body of a response from the state alone. */
    interface View {
        Bytes of(Situation now, InventoryState state, Call call);
    }

    private static Action view(View view) {
        return (api, call) -> api.view(view, call);
    }

    void serve(Api api, Call call) {
        action.serve(api, call);
    }

    /** Returns the name for metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public String method() {
        return method;
    }

    /** Returns the path, in which {@code {host}} stands for the name of a host. */
    public String path() {
        return path;
    }

    /** Returns the right that a user needs; null if no right is needed. */
    public @Nullable Right right() {
        return right;
    }

    public List<String> params() {
        return params;
    }

    boolean matches(String given) {
        int prefix = path.indexOf(VARIABLE);
        return prefix < 0
                ? given.equals(path)
                : given.length() > prefix
                        && given.startsWith(path.substring(0, prefix))
                        && given.indexOf('/', prefix) < 0;
    }

    /** Returns the part of a path that stands for the variable. */
    String variable(String given) {
        return given.substring(path.indexOf(VARIABLE));
    }
}
