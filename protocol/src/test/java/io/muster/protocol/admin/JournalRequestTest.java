package io.muster.protocol.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalRequestTest {
    @Test
    void theSequenceNumberIsReadAsItIsWritten() {
        assertThat(JournalRequest.parse(Json.encode(new JournalRequest(7).toJson())))
                .isEqualTo(new JournalRequest(7));
        assertThat(JournalRequest.parse(Bytes.text("{\"since\":0,\"x\":1}"))).isEqualTo(new JournalRequest(0));
    }

    @Test
    void everyOtherPayloadIsIgnoredAsInFluxCore() {
        assertThat(JournalRequest.parse(null)).isNull();
        assertThat(JournalRequest.parse(Bytes.text("{}"))).isNull();
        assertThat(JournalRequest.parse(Bytes.text("hello"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "1.5", "\"1\"", "null", "{}"})
    void anInvalidSequenceNumberIsRefused(String since) {
        assertThatThrownBy(() -> JournalRequest.parse(Bytes.text("{\"since\":" + since + "}")))
                .hasMessageContaining("resource.journal: /since must be an integer from 0 to 9223372036854775807");
    }
}
