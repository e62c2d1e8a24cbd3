package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;

/**
 * Any bytes are decoded as messages or refused with the protocol error, with the same result whether they arrive at once or one at a time.
 * {@code .ci/fuzz 1000000 FrameFuzzTest} searches for exceptions.
 */
class FrameFuzzTest {
    private static final int LIMIT = 1 << 16;

    @FuzzTest(maxDuration = "5m")
    void decodingEndsInMessagesOrTheProtocolError(byte[] wire) {
        String atOnce = outcome(wire, Math.max(1, wire.length));
        assertThat(outcome(wire, 1)).isEqualTo(atOnce);
    }

    private static String outcome(byte[] wire, int step) {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        StringBuilder outcome = new StringBuilder();
        try {
            for (int at = 0; at < wire.length; at += step) {
                ByteBuffer piece = ByteBuffer.wrap(wire, at, Math.min(step, wire.length - at));
                for (Message message = decoder.feed(piece); message != null; message = decoder.feed(piece)) {
                    outcome.append(WireTrace.received("peer", message)).append('\n');
                    assertThat(Frames.decode(Frames.encode(Dialect.RFC3, message)))
                            .isEqualTo(message);
                }
                assertThat(decoder.held()).isLessThanOrEqualTo(Math.min(LIMIT, 2 * wire.length + 4096));
            }
        } catch (ProtocolException e) {
            outcome.append(e.getMessage());
        }
        return outcome.toString();
    }
}
