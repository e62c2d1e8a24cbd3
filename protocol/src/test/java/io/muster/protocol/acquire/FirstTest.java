package io.muster.protocol.acquire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.inventory.idset.Idset;
import io.muster.inventory.problem.InvalidException;
import io.muster.inventory.rset.ResourceSet;
import io.muster.protocol.wire.Bytes;
import io.muster.protocol.wire.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 28 "Initial Acquire Response". */
class FirstTest {
    /** The example of the RFC. */
    private static final String EXAMPLE = """
            {
            "resources": {
            "version": 1,
            "execution": {
            "R_lite": [
            {
            "rank": "0-5",
            "children": {
            "core": "0-5",
            "gpu": "0"
            }
            }
            ],
            "starttime": 0,
            "expiration": 0,
            "nodelist": [
            "host[0-5]"
            ]
            }
            },
            "up": "0-2"
            }
            """;

    private static final String R = "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-3\",\"children\":"
            + "{\"core\":\"0-3\"}}],\"starttime\":0.0,\"expiration\":0.0,\"nodelist\":[\"node[0-3]\"]}}";

    private static First read(String json) throws Exception {
        return First.parse(Json.parse(Bytes.text(json)));
    }

    @Test
    void theExampleOfTheRfcIsReadAndWrittenUnchanged() throws Exception {
        First first = read(EXAMPLE);
        assertThat(first.up()).hasToString("0-2");
        assertThat(first.resources().ranks()).hasToString("0-5");
        assertThat(first.resources().hosts()).hasToString("host[0-5]");
        assertThat(first.resources().cores()).isEqualTo(36);
        assertThat(first.resources().gpus()).isEqualTo(6);
        assertThat(first.toJson()).isEqualTo(Json.parse(Bytes.text(EXAMPLE)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0-3", "", "0,2-3"})
    void theEncodedResponseHasResourcesAndUpEvenIfUpIsEmpty(String up) throws Exception {
        String golden = "{\"resources\":" + R + ",\"up\":\"" + up + "\"}";
        First first = new First(ResourceSet.parse(R), Idset.parse(up));
        assertThat(Json.encode(first.toJson()).text()).isEqualTo(golden);
        Bytes encoded = First.encode(Bytes.wrap(R.getBytes(US_ASCII)), Idset.parse(up));
        assertThat(encoded.text()).isEqualTo(golden);
        assertThat(encoded.endsWithNul()).isTrue();
        assertThat(Json.encode(read(golden).toJson())).isEqualTo(encoded);
    }

    @Test
    void aMissingUpKeyMeansThatNoRankIsUp() throws Exception {
        assertThat(read("{\"resources\":" + R + "}").up()).isEqualTo(Idset.EMPTY);
    }

    @Test
    void theConstructorRefusesUpRanksOutsideOfResources() {
        assertThatThrownBy(() -> new First(ResourceSet.parse(R), Idset.parse("2-5")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("up names ranks that are not in resources: 4-5");
    }

    /** Payloads that end deployed schedulers, or the broker that hosts them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                ",`up`:`0`,`down`:`1`|/down: is not a key of this response",
                ",`up`:`0`,`shrink`:`1`|/shrink: is not a key of this response",
                ",`up`:`0`,`expiration`:5.0|/expiration: is not a key of this response",
                ",`up`:null|/up: must be an idset string",
                ",`up`:`3,0-1`|/up: idset \"3,0-1\": ids must ascend: 0 is not above 3 at position 2",
                ",`up`:`all`|/up: idset \"all\": not a decimal digit at position 0",
                ",`up`:`0-4`|/up: names ranks that are not in resources: 4",
            })
    void unknownKeysAndInvalidUpValuesAreRefused(String rest, String sentence) {
        assertThatThrownBy(() -> read("{\"resources\":" + R + rest.replace('`', '"') + "}"))
                .isInstanceOf(InvalidException.class)
                .hasMessageStartingWith("first acquire response: ")
                .hasMessageContaining(sentence.substring(0, Math.min(sentence.length(), 24)));
    }

    @Test
    void aMissingOrInvalidResourcesObjectIsRefused() {
        assertThatThrownBy(() -> read("{\"up\":\"0\"}"))
                .isInstanceOf(InvalidException.class)
                .hasMessage("first acquire response: /resources: must be an R object");
        assertThatThrownBy(() -> read("{\"resources\":{},\"up\":\"0\"}")).isInstanceOf(InvalidException.class);
        assertThatThrownBy(
                        () -> First.parse(Json.parse(Bytes.text("{\"a\":[]}")).path("a")))
                .isInstanceOf(InvalidException.class)
                .hasMessageContaining("must be an object");
        for (String part : List.of("\"children\":{\"core\":\"0-3\"}", "node[0-3]")) {
            String broken = R.replace(part, part.startsWith("node") ? "node[0-2]" : "\"core\":1");
            assertThatThrownBy(() -> read("{\"resources\":" + broken + ",\"up\":\"0\"}"))
                    .isInstanceOf(InvalidException.class);
        }
    }
}
