package io.muster.daemon.http;

import io.muster.daemon.access.Identity;
import io.muster.protocol.wire.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request, checked by {@link Head}.
 *
 * @param path begins with a slash; each segment is plain text without escapes
 * @param params the parameters of the query, decoded, in the order of the request
 * @param headers the values by the names in lower case
 * @param body empty until the body has arrived
 * @param peer the user that the connection belongs to; null if the connection does not identify one
 * @param source the address of the peer without its port, for the log; "local" on a UNIX socket
 */
public record Ask(
        String method,
        String path,
        Map<String, List<String>> params,
        Map<String, List<String>> headers,
        Bytes body,
        @Nullable Identity peer,
        String source) {
    static final String GZIP = "gzip";

    /** Returns the first value of a header; null if there is none. */
    public @Nullable String header(String name) {
        List<String> values = headers.get(name);
        return values == null ? null : values.get(0);
    }

    public boolean acceptsGzip() {
        String accepted = String.join(",", headers.getOrDefault("accept-encoding", List.of()));
        return Arrays.stream(accepted.split(",", -1))
                .map(String::strip)
                .anyMatch(coding -> coding.equals(GZIP) || (coding.startsWith(GZIP + ";") && !coding.endsWith("q=0")));
    }

    /** Returns whether a browser sent the request for a page. Programs other than browsers do not send these headers. */
    public boolean isFromPage() {
        return headers.containsKey("origin") || headers.containsKey("sec-fetch-site");
    }

    public boolean isHead() {
        return method.equals("HEAD");
    }

    Ask with(Bytes content) {
        return new Ask(method, path, params, headers, content, peer, source);
    }

    Ask from(String address) {
        return new Ask(method, path, params, headers, body, peer, address);
    }

    /** Leaves out the headers, which may have a token. */
    @Override
    public String toString() {
        return method + " " + path;
    }
}
