package io.muster.protocol.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response message (RFC 3 "Response Message Type"). Routes, topic and matchtag are copied from the request.
 *
 * @param errnum 0, or a POSIX error number; numbers without a name on this system are kept
 */
public record Response(
        Header header,
        List<String> routes,
        String topic,
        @Nullable Bytes payload,
        int errnum,
        int matchtag) implements Message {
    public Response {
        routes = Parts.checkRoutes(routes);
        Parts.check("topic", topic);
    }

    public static Response success(Request to, Credentials sender, @Nullable Bytes payload) {
        return reply(to, to.header().flags() & ~Header.STREAMING, sender, payload, 0);
    }

    /** Returns a response after which the stream continues (RFC 6 "Streaming Responses"). */
    public static Response streamed(Request to, Credentials sender, @Nullable Bytes payload) {
        return reply(to, to.header().flags() | Header.STREAMING, sender, payload, 0);
    }

    /**
     * Returns an error response.
     *
     * @param errnum not 0
     * @param sentence a sentence for people, or null if the number says everything
     */
    public static Response error(Request to, Credentials sender, int errnum, @Nullable String sentence) {
        if (errnum == 0) {
            throw new IllegalArgumentException("an error response needs an error number");
        }
        return reply(to, to.header().flags(), sender, sentence == null ? null : Bytes.text(sentence), errnum);
    }

    /**
     * Returns a response with the flags of the request, as flux-core does.
     *
     * @param sender credentials with a role, because a deployed client drops a response without a role and waits for ever
     */
    private static Response reply(Request to, int flags, Credentials sender, @Nullable Bytes payload, int errnum) {
        if (sender.rolemask() == 0) {
            throw new IllegalArgumentException("a response from nobody");
        }
        Header header = new Header(flags, sender);
        return new Response(header, to.routes(), to.topic(), payload, errnum, to.matchtag());
    }

    /** Returns whether no further response will have this matchtag (RFC 6 "Matchtag Field"). */
    public boolean isLast() {
        return errnum != 0 || !header.has(Header.STREAMING);
    }

    @Override
    public Type type() {
        return Type.RESPONSE;
    }

    @Override
    public int word3() {
        return errnum;
    }

    @Override
    public int word4() {
        return matchtag;
    }
}
