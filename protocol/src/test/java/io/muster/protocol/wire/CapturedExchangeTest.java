package io.muster.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Captured exchanges between the flux command and a flux-core broker. */
class CapturedExchangeTest {
    @Test
    void aCapturedRefusalOfADrainIsDecodedAndEncodedUnchanged() throws Exception {
        assertThat(trace("drain-of-drained", "C>S", 0))
                .containsExactly("< flux request resource.drain tag=1 node=0 from=unset {\"targets\": \"1\"}");
        assertThat(trace("drain-of-drained", "S>C", 1))
                .containsExactly(
                        "< flux response resource.drain tag=1 errnum=17 from=0(owner,local) rank 1 already drained");
    }

    @Test
    void aCapturedStreamAndItsCancellationAreDecodedAndEncodedUnchanged() throws Exception {
        assertThat(trace("eventlog", "C>S", 0))
                .containsExactly(
                        "< flux request resource.journal tag=1 node=0 from=unset streaming {}",
                        "< flux request resource.journal-cancel tag=0 node=0 from=unset noresponse {\"matchtag\": 1}");
        assertThat(trace("eventlog", "S>C", 1))
                .hasSize(4)
                .allMatch(line -> line.startsWith(
                        "< flux response resource.journal tag=1 from=0(owner,local) streaming {\"events\":["))
                .last()
                .asString()
                .endsWith("{\"events\":[]}");
    }

    /** Returns one side's messages after checking that the encoder would write the same bytes. */
    private static List<String> trace(String capture, String side, int welcome) throws IOException {
        byte[] bytes = side(capture, side);
        for (int i = 0; i < welcome; i++) {
            assertThat(bytes[i]).isZero();
        }
        ByteBuffer wire = ByteBuffer.wrap(bytes, welcome, bytes.length - welcome);
        List<Message> messages = Frames.decodeAll(new FrameDecoder(1 << 20), wire.duplicate());

        ByteArrayOutputStream again = new ByteArrayOutputStream();
        messages.forEach(message -> again.writeBytes(Frames.encode(Dialect.DEPLOYED, message)));
        assertThat(again.toByteArray()).isEqualTo(Bytes.copyOf(wire).toByteArray());
        return messages.stream()
                .map(message -> WireTrace.received("flux", message))
                .toList();
    }

    private static byte[] side(String capture, String side) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = CapturedExchangeTest.class.getResourceAsStream("/captures/" + capture + ".hex")) {
            assertThat(in).isNotNull();
            new String(in.readAllBytes(), UTF_8)
                    .lines()
                    .filter(line -> line.startsWith(side))
                    .forEach(line -> bytes.writeBytes(Frames.bytes(line.substring(side.length()))));
        }
        return bytes.toByteArray();
    }
}
