package io.muster.protocol.rpc;

import io.muster.protocol.wire.Credentials;
import io.muster.protocol.wire.Request;
import io.muster.protocol.wire.Response;

/**
 * The failure of a request in the form of RFC 6: an error number and a sentence. The number is for programs, the sentence
 * for people; no program may interpret the sentence.
 */
public class RpcException extends RuntimeException {
    private final Errno errno;

    /** @param sentence a brief sentence without a full stop or line end */
    public RpcException(Errno errno, String sentence) {
        super(sentence);
        this.errno = errno;
    }

    /** Returns the error in a response. If the server sent no sentence, the sentence is the meaning of the number. */
    public static RpcException of(Response error) {
        Errno errno = new Errno(error.errnum());
        String sentence = error.payload() == null ? "" : error.payload().text();
        return new RpcException(errno, sentence.isEmpty() ? errno.text() : sentence);
    }

    public Errno errno() {
        return errno;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }

    public Response toResponse(Request to, Credentials sender) {
        return Response.error(to, sender, errno.value(), getMessage());
    }
}
