package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;

/**
 * Any bytes are parsed as an object or refused with the protocol error, and an object can be written and read again unchanged.
 * {@code .ci/fuzz 1000000 JsonFuzzTest} searches for exceptions.
 */
class JsonFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void parsingEndsInAnObjectOrTheProtocolError(byte[] text) throws Exception {
        ObjectNode object;
        try {
            object = Json.parse(Bytes.wrap(Arrays.copyOf(text, text.length + 1)));
        } catch (ProtocolException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        assertThat(Json.parse(Json.encode(object))).isEqualTo(object);
    }
}
