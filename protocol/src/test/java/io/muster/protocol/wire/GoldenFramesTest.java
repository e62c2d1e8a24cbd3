package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Messages and their frames, byte by byte, in both dialects. */
class GoldenFramesTest {
    private static final Credentials OWNER = new Credentials(0, Credentials.OWNER | Credentials.LOCAL);

    static Stream<Arguments> frames() {
        return Stream.of(
                Arguments.of(
                        "the first request that flux getattr size sends, as captured",
                        Request.of("attr.get", Bytes.text("{\"name\":\"size\"}"), 0, 1),
                        """
                        12 00 ee ff 00 00 00 30
                        00
                        08 'attr.get'
                        10 '{"name":"size"}' 00
                        14 8e 01 01 0b ff ff ff ff 00 00 00 00 ff ff ff ff 00 00 00 01
                        """,
                        """
                        ff ee 00 12 00 00 00 39
                        00
                        09 'attr.get' 00
                        10 '{"name":"size"}' 00
                        14 8e 01 01 0b ff ff ff ff 00 00 00 00 ff ff ff ff 00 00 00 01
                        """),
                Arguments.of(
                        "what flux-core answers to it, as captured",
                        Response.success(
                                Request.of("attr.get", null, 0, 1), OWNER, Bytes.text("{\"value\":\"4\",\"flags\":1}")),
                        """
                        12 00 ee ff 00 00 00 38
                        00
                        08 'attr.get'
                        18 '{"value":"4","flags":1}' 00
                        14 8e 01 02 0b 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 01
                        """,
                        """
                        ff ee 00 12 00 00 00 41
                        00
                        09 'attr.get' 00
                        18 '{"value":"4","flags":1}' 00
                        14 8e 01 02 0b 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 01
                        """),
                Arguments.of(
                        "a streaming request without a payload",
                        Request.of("resource.acquire", null, Header.STREAMING, 0x01020304),
                        """
                        12 00 ee ff 00 00 00 27
                        00
                        10 'resource.acquire'
                        14 8e 01 01 49 ff ff ff ff 00 00 00 00 ff ff ff ff 01 02 03 04
                        """,
                        """
                        ff ee 00 12 00 00 00 30
                        00
                        11 'resource.acquire' 00
                        14 8e 01 01 49 ff ff ff ff 00 00 00 00 ff ff ff ff 01 02 03 04
                        """),
                Arguments.of(
                        "a request that came over two hops to rank 7",
                        new Request(
                                new Header(Header.UPSTREAM | Header.USER1, new Credentials(1000, Credentials.USER)),
                                List.of("ff509979", "41f54532"),
                                "a",
                                Bytes.wrap(new byte[0]),
                                7,
                                0),
                        """
                        12 00 ee ff 00 00 00 2b
                        08 'ff509979'
                        08 '41f54532'
                        00
                        01 'a'
                        00
                        14 8e 01 01 9b 00 00 03 e8 00 00 00 02 00 00 00 07 00 00 00 00
                        """,
                        """
                        ff ee 00 12 00 00 00 36
                        09 'ff509979' 00
                        09 '41f54532' 00
                        00
                        02 'a' 00
                        00
                        14 8e 01 01 9b 00 00 03 e8 00 00 00 02 00 00 00 07 00 00 00 00
                        """),
                Arguments.of(
                        "an error response whose number nobody knows",
                        Response.error(Request.of("x.y", null, 0, -1), OWNER, 4242, "odd"),
                        """
                        12 00 ee ff 00 00 00 1f
                        00
                        03 'x.y'
                        04 'odd' 00
                        14 8e 01 02 0b 00 00 00 00 00 00 00 05 00 00 10 92 ff ff ff ff
                        """,
                        """
                        ff ee 00 12 00 00 00 28
                        00
                        04 'x.y' 00
                        04 'odd' 00
                        14 8e 01 02 0b 00 00 00 00 00 00 00 05 00 00 10 92 ff ff ff ff
                        """),
                Arguments.of(
                        "a private event",
                        new EventMessage(new Header(Header.PRIVATE, OWNER), "job-state", Bytes.text("{}"), 0xfffffffe),
                        """
                        12 00 ee ff 00 00 00 23
                        09 'job-state'
                        03 '{}' 00
                        14 8e 01 04 23 00 00 00 00 00 00 00 05 ff ff ff fe 00 00 00 00
                        """,
                        """
                        ff ee 00 12 00 00 00 2c
                        0a 'job-state' 00
                        03 '{}' 00
                        14 8e 01 04 23 00 00 00 00 00 00 00 05 ff ff ff fe 00 00 00 00
                        """),
                Arguments.of("a control message", new Control(Header.UNSET, 2, -3), """
                        12 00 ee ff 00 00 00 15
                        14 8e 01 08 00 ff ff ff ff 00 00 00 00 00 00 00 02 ff ff ff fd
                        """, """
                        ff ee 00 12 00 00 00 1d
                        14 8e 01 08 00 ff ff ff ff 00 00 00 00 00 00 00 02 ff ff ff fd
                        """),
                longPayload(254, "fe"),
                longPayload(255, "ff 00 00 00 ff"));
    }

    /** Returns a frame with a long payload; lengths from 255 on take five bytes. */
    private static Arguments longPayload(int length, String lengthField) {
        String data = "78".repeat(length);
        int body = 1 + 4 + Frames.bytes(lengthField).length + length + 21;
        String rest = lengthField + data + "14 8e 01 02 0b 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 01";
        return Arguments.of(
                "a payload of " + length + " bytes",
                Response.success(Request.of("x.y", null, 0, 1), OWNER, Bytes.wrap(Frames.bytes(data))),
                "12 00 ee ff " + String.format(Locale.ROOT, "%08x", body) + "00 03 'x.y'" + rest,
                "ff ee 00 12 " + String.format(Locale.ROOT, "%08x", body + 9) + "00 04 'x.y' 00" + rest);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("frames")
    void messagesAreEncodedAsTheseBytes(String what, Message message, String deployed, String rfc3) {
        assertThat(Frames.hex(FrameEncoder.of(Dialect.DEPLOYED).encode(message)))
                .isEqualTo(hex(deployed));
        assertThat(Frames.hex(FrameEncoder.of(Dialect.RFC3).encode(message))).isEqualTo(hex(rfc3));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("frames")
    void theseBytesAreDecodedAsTheMessages(String what, Message message, String deployed, String rfc3)
            throws Exception {
        assertThat(Frames.decode(Frames.bytes(deployed))).isEqualTo(message);
        assertThat(Frames.decode(Frames.bytes(rfc3))).isEqualTo(message);
    }

    private static String hex(String text) {
        return Frames.hex(ByteBuffer.wrap(Frames.bytes(text)));
    }
}
