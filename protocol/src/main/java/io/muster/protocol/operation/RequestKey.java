package io.muster.protocol.operation;

import java.util.List;

/**
 * A key of a request, as the documentation describes it. The reader of the request refuses values of another type.
 *
 * @param words the values that the key may have; empty for any of its type
 * @param meaning one sentence or two
 */
public record RequestKey(String name, Type type, boolean required, List<String> words, String meaning) {
    public RequestKey {
        words = List.copyOf(words);
    }

    /** The type of a value. A value of the first six types may be text in a URL, which is converted. */
    public enum Type {
        TEXT,
        FLAG,
        INTEGER,
        NUMBER,
        /** Seconds since the epoch; over HTTP also text by RFC 3339. */
        TIME,
        /** Seconds; over HTTP also text such as {@code 90m}. */
        DURATION,
        OBJECT,
        LIST
    }

    static RequestKey text(String name, String meaning) {
        return new RequestKey(name, Type.TEXT, false, List.of(), meaning);
    }

    static RequestKey flag(String name, String meaning) {
        return new RequestKey(name, Type.FLAG, false, List.of(), meaning);
    }

    static RequestKey integer(String name, String meaning) {
        return new RequestKey(name, Type.INTEGER, false, List.of(), meaning);
    }

    static RequestKey number(String name, String meaning) {
        return new RequestKey(name, Type.NUMBER, false, List.of(), meaning);
    }

    static RequestKey time(String name, String meaning) {
        return new RequestKey(name, Type.TIME, false, List.of(), meaning);
    }

    static RequestKey duration(String name, String meaning) {
        return new RequestKey(name, Type.DURATION, false, List.of(), meaning);
    }

    static RequestKey object(String name, String meaning) {
        return new RequestKey(name, Type.OBJECT, false, List.of(), meaning);
    }

    static RequestKey list(String name, String meaning) {
        return new RequestKey(name, Type.LIST, false, List.of(), meaning);
    }

    /** Returns the key with the only values that it may have. */
    RequestKey of(String... only) {
        return new RequestKey(name, type, required, List.of(only), meaning);
    }

    RequestKey needed() {
        return new RequestKey(name, type, true, words, meaning);
    }
}
