package io.muster.protocol.wire;

import java.io.IOException;

/**
 * The peer sent what the protocol does not allow. The one exception that decoding may end in, whatever the bytes; its
 * sentence says what was found and what is allowed, and is fit to be sent back or logged.
 */
public final class ProtocolException extends IOException {
    public ProtocolException(String sentence) {
        super(sentence);
    }
}
