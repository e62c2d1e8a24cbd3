package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An RFC 3 message. Which parts a message has follows from its type: requests and responses have a route delimiter and a
 * topic, events a topic, control messages neither; all but control messages may have a payload.
 */
public sealed interface Message permits Request, Response, Event, Control {
    Type type();

    Header header();

    /** Route hops, oldest first, as they stand in the frame; empty where there are none. */
    List<String> routes();

    @Nullable
    String topic();

    @Nullable
    Bytes payload();

    /** The header's third integer, whose meaning depends on the type. */
    int word3();

    /** The header's fourth integer, whose meaning depends on the type. */
    int word4();

    /** RFC 3 message types with their code in the header and the parts that they have. */
    enum Type {
        REQUEST(1, Header.ROUTE | Header.TOPIC),
        RESPONSE(2, Header.ROUTE | Header.TOPIC),
        EVENT(4, Header.TOPIC),
        CONTROL(8, 0);

        final int code;
        /** The part flags that a message of this type always has when it is written. */
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
