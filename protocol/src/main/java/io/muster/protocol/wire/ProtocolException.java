package io.muster.protocol.wire;

import java.io.IOException;

/**
 * Thrown if the peer sent something that the protocol does not allow. Decoding throws no other exception for any input. The
 * sentence says what was found and what is allowed, and may be sent to the peer or logged.
 */
public final class ProtocolException extends IOException {
    public ProtocolException(String sentence) {
        super(sentence);
    }
}
