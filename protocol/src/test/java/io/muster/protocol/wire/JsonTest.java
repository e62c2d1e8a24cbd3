package io.muster.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_16LE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"a\":1,\"b\":-2147483649,\"c\":9223372036854775807,\"d\":1.5,\"e\":1795226327.122392}",
                "{\"a\":10000000.0,\"b\":-2000000000.0,\"c\":9999999999999998.0,\"d\":1.0E16,\"e\":1.0E-4,\"f\":0.0}",
                "{\"a\":[[],{},null,true,false,\"\"],\"\":{\"\":0.0}}",
                "{\"reason\":\"fan \\\"3\\\" \\\\ \\n\\u0001 ü € 😀\"}"
            })
    void objectsAreReadAndWrittenUnchanged(String text) throws Exception {
        assertThat(Json.encode(Json.parse(Bytes.text(text))).text()).isEqualTo(text);
        assertThat(Json.encode(Json.parse(Bytes.text(text))).endsWithNul()).isTrue();
    }

    @Test
    void spaceAroundTheObjectIsAllowed() throws Exception {
        assertThat(Json.parse(Bytes.text(" \n\t{ \"a\" : 1 }\r\n")).toString()).isEqualTo("{\"a\":1}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\":1,\"b\":2,\"a\":3}|JSON payload has key \"a\" twice in one object",
                "{\"x\":{\"a\":1,\"a\":null}}|JSON payload has key \"a\" twice in one object",
                "{\"x\":null,\"x\":1}|JSON payload has key \"x\" twice in one object",
                "[]|JSON payload is not an object",
                "3|JSON payload is not an object",
                "null|JSON payload is not an object",
                "``|JSON payload is not an object",
                "{} {}|JSON payload goes on after its object",
                "{\"a\":\"\\ud83d\"}|JSON payload has half of a surrogate pair",
                "{\"a\":1e999}|JSON payload has a number that is too large",
                "{\"a\":9223372036854775808}|JSON payload has an integer of more than 64 bits",
                "{\"a\":[\"x\\u0000\"]}|JSON payload has a string with a NUL in it",
                "{\"a\\u0000b\":1}|JSON payload has a string with a NUL in it",
                "\u0130{}|JSON payload does not start as UTF-8 JSON does",
            })
    void ambiguousJsonIsRefused(String text, String sentence) {
        assertThatThrownBy(() -> Json.parse(Bytes.text(text)))
                .isInstanceOf(ProtocolException.class)
                .hasMessage(sentence);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{'a':1}", "{a:1}", "{\"a\":NaN}", "{\"a\":01}",
                "{\"a\":+1}", "{\"a\":.5}", "{\"a\":tru}", "{\"a\":\"\t\"}", "{\"a\":\"\\x\"}", "{}x", "{}]", "x",
                        "//{}\n{}",
                "{\"a\":[1}", "{\"\\ude00\":1}", "{\"a\":\0 1}", "{} \0"
            })
    void malformedJsonIsRefusedWithThePosition(String text) {
        assertThatThrownBy(() -> Json.parse(Bytes.text(text)))
                .isInstanceOf(ProtocolException.class)
                .hasMessageStartingWith("payload is not JSON: ")
                .hasMessageMatching("[^\\n]* at byte \\d+");
    }

    @Test
    void aPayloadWithoutATerminatingNulIsRefused() {
        assertThatThrownBy(() -> Json.parse(Bytes.wrap(new byte[] {'{', '}'})))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("JSON payload of 2 bytes does not end in a NUL");
        assertThatThrownBy(() -> Json.parse(Bytes.EMPTY)).hasMessage("JSON payload of 0 bytes does not end in a NUL");
    }

    @Test
    void otherEncodingsAreRefused() {
        byte[] utf16 = " {\"a\":1}".getBytes(UTF_16LE);
        assertThatThrownBy(() -> Json.parse(Bytes.wrap(utf16)))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("does not start as UTF-8 JSON does");
        byte[] latin = Frames.bytes("'{\"a\":\"' fc '\"}' 00");
        assertThatThrownBy(() -> Json.parse(Bytes.wrap(latin))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void nestingIsBounded() throws Exception {
        assertThat(Json.parse(Bytes.text(nested(255))).size()).isEqualTo(1);
        assertThatThrownBy(() -> Json.parse(Bytes.text(nested(256))))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("nesting depth");
        assertThatThrownBy(() -> Json.parse(Bytes.text(nested(1_000_000)))).isInstanceOf(ProtocolException.class);
    }

    private static String nested(int arrays) {
        return "{\"a\":" + "[".repeat(arrays) + "]".repeat(arrays) + "}";
    }

    @Test
    void encodingANodeThatIsNotJsonIsAnIllegalArgument() {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        object.putPOJO("a", new ByteArrayOutputStream());
        assertThatThrownBy(() -> Json.encode(object)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theConstantForTheEmptyObjectIsItsEncoding() throws Exception {
        assertThat(Json.parse(Json.EMPTY_OBJECT)).isEmpty();
        assertThat(Json.encode(JsonNodeFactory.instance.objectNode())).isEqualTo(Json.EMPTY_OBJECT);
    }
}
