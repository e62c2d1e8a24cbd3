package io.muster.protocol.operation;

import java.util.List;

/**
 * A key of a request, as the documentation describes it. The reader of the request refuses values of another type.
 *
 * @param words the values that the key may have; empty for any of its type
 * @param meaning one sentence or two
 */
public record Key(String name, Type type, boolean required, List<String> words, String meaning) {
    public Key {
        words = List.copyOf(words);
    }

    /** The type of a value. A value of the first five types may be text in a URL, which is converted. */
    public enum Type {
        TEXT,
        FLAG,
        INTEGER,
        NUMBER,
        /** Seconds since the epoch; over HTTP also text by RFC 3339. */
        TIME,
        OBJECT,
        LIST
    }

    static Key text(String name, String meaning) {
        return new Key(name, Type.TEXT, false, List.of(), meaning);
    }

    static Key flag(String name, String meaning) {
        return new Key(name, Type.FLAG, false, List.of(), meaning);
    }

    static Key integer(String name, String meaning) {
        return new Key(name, Type.INTEGER, false, List.of(), meaning);
    }

    static Key number(String name, String meaning) {
        return new Key(name, Type.NUMBER, false, List.of(), meaning);
    }

    static Key time(String name, String meaning) {
        return new Key(name, Type.TIME, false, List.of(), meaning);
    }

    static Key object(String name, String meaning) {
        return new Key(name, Type.OBJECT, false, List.of(), meaning);
    }

    static Key list(String name, String meaning) {
        return new Key(name, Type.LIST, false, List.of(), meaning);
    }

    /** Returns the key with the only values that it may have. */
    Key of(String... only) {
        return new Key(name, type, required, List.of(only), meaning);
    }

    Key needed() {
        return new Key(name, type, true, words, meaning);
    }

    Key named(String other) {
        return new Key(other, type, required, words, meaning);
    }
}
