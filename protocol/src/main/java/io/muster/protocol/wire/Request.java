package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A request message (RFC 3 "Request Message Type").
 *
 * @param topic service and method, such as {@code resource.drain}
 * @param nodeid rank to which the request is addressed, or {@link #NODEID_ANY}
 * @param matchtag number that the client chooses and the responses repeat; {@link #MATCHTAG_NONE} if no response is expected
 */
public record Request(
        Header header,
        List<String> routes,
        String topic,
        @Nullable Bytes payload,
        int nodeid,
        int matchtag) implements Message {
    public static final int NODEID_ANY = 0xffffffff;
    public static final int MATCHTAG_NONE = 0;

    public Request {
        routes = Parts.checkRoutes(routes);
        Parts.check("topic", topic);
    }

    /** Returns a request as a client sends it: no hops, any node, and credentials that the server fills in. */
    public static Request of(String topic, @Nullable Bytes payload, int flags, int matchtag) {
        return new Request(Header.flags(flags), List.of(), topic, payload, NODEID_ANY, matchtag);
    }

    public Request with(Credentials credentials) {
        Header stamped = header.with(credentials);
        return stamped.equals(header) ? this : new Request(stamped, routes, topic, payload, nodeid, matchtag);
    }

    /** Returns the request without its payload. The result still has everything that a response needs. */
    public Request withoutPayload() {
        return payload == null ? this : new Request(header, routes, topic, null, nodeid, matchtag);
    }

    public Credentials credentials() {
        return header.credentials();
    }

    public boolean isStreaming() {
        return header.has(Header.STREAMING);
    }

    /** Returns whether no response may be sent, not even an error: see {@link Response#isUnwanted}. */
    public boolean isNoresponse() {
        return header.has(Header.NORESPONSE);
    }

    @Override
    public Type type() {
        return Type.REQUEST;
    }

    @Override
    public int word3() {
        return nodeid;
    }

    @Override
    public int word4() {
        return matchtag;
    }
}
