package io.muster.protocol.acquire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerPayloadTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "[1]", "nonsense", "{\"grace\":5}", "7"})
    void aPayloadWithoutAnOwnerIsIgnored(String payload) {
        assertThat(Owner.parse(Bytes.text(payload))).isNull();
        assertThat(Owner.parse(null)).isNull();
    }

    @Test
    void payloadsAreReadAsWrittenAndGraceHasADefault() {
        Owner owner = new Owner("flux:prod", 2.5);
        assertThat(Owner.parse(Json.encode(owner.toJson()))).isEqualTo(owner);
        assertThat(Owner.parse(Bytes.text("{\"owner\":\"a\"}"))).isEqualTo(new Owner("a", 60));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"owner":7}                  | resource.acquire: /owner
                    {"owner":null}               | resource.acquire: /owner
                    {"owner":"a","grace":"x"}    | resource.acquire: /grace
                    {"owner":"a b"}              | owner "a b": letters, digits and ._:@- only
                    {"owner":""}                 | an owner's name has 1 to 128 characters, not 0
                    {"owner":"a","grace":-1}     | grace must be 0 to 86400 seconds, not -1.0
                    {"owner":"a","grace":1e300}  | grace must be 0 to 86400 seconds
                    """)
    void aWrongOwnerIsRefusedWithItsPlace(String payload, String sentence) {
        assertThatThrownBy(() -> Owner.parse(Bytes.text(payload))).hasMessageContaining(sentence);
    }
}
