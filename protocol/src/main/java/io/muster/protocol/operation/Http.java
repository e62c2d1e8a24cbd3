package io.muster.protocol.operation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The place of an operation in HTTP. The keys of its request are parameters of the URL, or members of the body.
 *
 * @param word the name for metrics
 * @param path in which {@link #VARIABLE} stands for the name of a host
 * @param params the keys that the query of the URL may have
 * @param body the keys that the body may have
 * @param always a flag that every request has; "" for none
 */
public record Http(
        String word, String method, String path, List<RequestKey> params, List<RequestKey> body, String always) {
    public static final String VARIABLE = "{host}";

    /** The keys for which HTTP has headers. */
    private static final Set<RequestKey> HEADERS = Set.of(RequestKeys.ID, RequestKeys.IF_SEQ);

    public Http {
        params = List.copyOf(params);
        body = List.copyOf(body);
    }

    public static Http get(String word, String path) {
        return new Http(word, "GET", path, List.of(), List.of(), "");
    }

    static Http post(String word, String path) {
        return new Http(word, "POST", path, List.of(), List.of(), "");
    }

    static Http delete(String word, String path) {
        return new Http(word, "DELETE", path, List.of(), List.of(), "");
    }

    Http always(String flag) {
        return new Http(word, method, path, params, body, flag);
    }

    /**
     * Returns the place with the keys of a request: in the URL or, if there is a body, in the body, except the keys that {@code params}
     * has already. The targets of a change are always those that people write.
     */
    public Http with(List<RequestKey> keys) {
        List<RequestKey> inUrl = new ArrayList<>();
        List<RequestKey> inBody = new ArrayList<>();
        boolean selects = keys.contains(RequestKeys.SELECT);
        for (RequestKey key : keys) {
            boolean elsewhere =
                    HEADERS.contains(key) || key.name().equals(always) || path.contains("{" + key.name() + "}");
            if (!elsewhere && !(selects && key.equals(RequestKeys.TARGETS_OF_CHANGE))) {
                RequestKey shown = key.equals(RequestKeys.SELECT) ? RequestKeys.SELECTED : key;
                (method.equals("POST") && !key.equals(RequestKeys.DRY_RUN) ? inBody : inUrl).add(shown);
            }
        }
        return new Http(word, method, path, inUrl, inBody, always);
    }

    /** Returns whether a path of a request is this path. */
    public boolean matches(String given) {
        int prefix = path.indexOf(VARIABLE);
        return prefix < 0
                ? given.equals(path)
                : given.length() > prefix
                        && given.startsWith(path.substring(0, prefix))
                        && given.indexOf('/', prefix) < 0;
    }

    /** Returns the name of a host that a path has; "" if this path has none. */
    public String host(String given) {
        int prefix = path.indexOf(VARIABLE);
        return prefix < 0 ? "" : given.substring(prefix);
    }
}
