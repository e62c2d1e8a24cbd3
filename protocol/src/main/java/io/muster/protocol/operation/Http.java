package io.muster.protocol.operation;

import java.util.List;

/**
 * The place of an operation in HTTP. The keys of its request are parameters of the URL, or members of the body.
 *
 * @param word the name for metrics
 * @param path in which {@link #VARIABLE} stands for the name of a host
 * @param params the keys that the query of the URL may have
 * @param body the keys that the body may have; empty for any
 * @param always a flag that every request has; "" for none
 */
public record Http(String word, String method, String path, List<Param> params, List<Param> body, String always) {
    public static final String VARIABLE = "{host}";

    public Http {
        params = List.copyOf(params);
        body = List.copyOf(body);
    }

    /** The type of the value of a key, into which text of a URL is converted. */
    public enum Type {
        TEXT,
        FLAG,
        NUMBER,
        /** Seconds since the epoch, or text by RFC 3339. */
        TIME
    }

    /** A key of a request. */
    public record Param(String name, Type type) {}

    public static Http get(String word, String path, Param... params) {
        return new Http(word, "GET", path, List.of(params), List.of(), "");
    }

    static Http post(String word, String path, Param... params) {
        return new Http(word, "POST", path, List.of(params), List.of(), "");
    }

    static Http delete(String word, String path, Param... params) {
        return new Http(word, "DELETE", path, List.of(params), List.of(), "");
    }

    Http body(Param... keys) {
        return new Http(word, method, path, params, List.of(keys), always);
    }

    Http always(String flag) {
        return new Http(word, method, path, params, body, flag);
    }

    public static Param text(String name) {
        return new Param(name, Type.TEXT);
    }

    static Param flag(String name) {
        return new Param(name, Type.FLAG);
    }

    public static Param number(String name) {
        return new Param(name, Type.NUMBER);
    }

    static Param time(String name) {
        return new Param(name, Type.TIME);
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
