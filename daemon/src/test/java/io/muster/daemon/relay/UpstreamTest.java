package io.muster.daemon.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Request;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpstreamTest {
    /** The relay sends these requests again if the daemon that leads is lost before it has answered. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            resource.status          | {}          | true
            resource.status-document | {}          | true
            resource.history         | {}          | true
            resource.ping            | {}          | true
            resource.drain           | {}          | false
            resource.drain           | {"id":"x"}  | true
            resource.journal         | {}          | false
            resource.nosuch          | {}          | false
            """)
    void questionsAndChangesWithAnIdMayBeRepeated(String topic, String payload, boolean may) {
        assertThat(Upstream.mayBeRepeated(Request.of(topic, Bytes.text(payload), 0, 1)))
                .isEqualTo(may);
    }
}
