package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An RFC 3 message. The type determines the parts of a message: requests and responses have a route delimiter and a topic,
 * events a topic, control messages neither; all except control messages may have a payload.
 */
public sealed interface Message permits Request, Response, Event, Control {
    Type type();

    Header header();

    /** Returns the route hops, oldest first, in the order of the frame; empty if there are none. */
    List<String> routes();

    @Nullable
    String topic();

    @Nullable
    Bytes payload();

    /** Returns the header's third integer, whose meaning depends on the type. */
    int word3();

    /** Returns the header's fourth integer, whose meaning depends on the type. */
    int word4();

    /** RFC 3 message types, with their code in the header and their parts. */
    enum Type {
        REQUEST(1, Header.ROUTE | Header.TOPIC),
        RESPONSE(2, Header.ROUTE | Header.TOPIC),
        EVENT(4, Header.TOPIC),
        CONTROL(8, 0);

        final int code;
        /** Flags of the parts that every written message of this type has. */
        final int parts;

        Type(int code, int parts) {
            this.code = code;
            this.parts = parts;
        }

        static @Nullable Type ofCode(int code) {
            return switch (code) {
                case 1 -> REQUEST;
                case 2 -> RESPONSE;
                case 4 -> EVENT;
                case 8 -> CONTROL;
                default -> null;
            };
        }
    }
}
