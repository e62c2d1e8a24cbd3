package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An RFC 3 message. The type determines the parts of a message: requests and responses have a route delimiter and a topic,
 * events a topic, control messages neither; all except control messages may have a payload.
 */
public sealed interface Message permits Request, Response, EventMessage, Control {
    Type type();

    Header header();

    /** Returns the hops of the route, oldest first, in the order of the frame; none if the message has no route. */
    List<String> routes();

    @Nullable
    String topic();

    @Nullable
    Bytes payload();

    /** Returns the third integer of the header, whose meaning depends on the type. */
    int word3();

    /** Returns the fourth integer of the header, whose meaning depends on the type. */
    int word4();

    /** The types of message in RFC 3, each with its code in the header and the parts that it has. */
    enum Type {
        REQUEST(1, Header.ROUTE | Header.TOPIC),
        RESPONSE(2, Header.ROUTE | Header.TOPIC),
        EVENT(4, Header.TOPIC),
        CONTROL(8, 0);

        final int code;
        /** The flags of the parts that every message of this type has when it is written. */
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
