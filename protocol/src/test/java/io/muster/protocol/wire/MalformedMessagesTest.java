package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies that are not a message, or that are written in an unusual way. */
class MalformedMessagesTest {
    private static final String REST = "ffffffff 00000000 ffffffff 00000001";

    @ParameterizedTest(name = "{1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "00 01 'x' 15 8e0101 09|message of 24 bytes does not end in a header of 20",
                "00 01 'x' 14 8f0101 09|message header starts with 8f 01 where 8e 01 is right",
                "00 01 'x' 14 8e0201 09|message header starts with 8e 02 where 8e 01 is right",
                "00 01 'x' 14 8e0100 09|message type 0 is none of 1, 2, 4, 8",
                "00 01 'x' 14 8e0103 09|message type 3 is none of 1, 2, 4, 8",
                "00 01 'x' 14 8e0110 09|message type 16 is none of 1, 2, 4, 8",
                "00 14 8e0101 08|message of type 1 without a topic",
                "00 14 8e0102 08|message of type 2 without a topic",
                "14 8e0104 00|message of type 4 without a topic",
                "01 'x' 14 8e0108 01|control message with a route, topic or payload",
                "01 'x' 14 8e0108 02|control message with a route, topic or payload",
                "00 14 8e0108 08|control message with a route, topic or payload",
                "01 'x' 14 8e0101 09|routes without a delimiter after them",
                "14 8e0101 09|routes without a delimiter after them",
                "00 14 8e0101 09|message ends before its topic",
                "00 01 'x' 14 8e0101 0b|message ends before its payload",
                "00 01 'x' 01 'p' 14 8e0101 09|2 bytes between the message's parts and its header",
                "00 03 'x' 14 8e0101 09|topic of 3 bytes where 1 are left",
                "00 fe 'x' 14 8e0101 09|topic of 254 bytes where 1 are left",
                "00 ff 00 00 01 14 8e0101 09|message ends in the length of its topic",
                "00 ff 7fffffff 14 8e0101 09|topic of 2147483647 bytes where 0 are left",
                "00 01 'x' ff ffffffff 14 8e0101 0b|payload of 4294967295 bytes where 0 are left",
                "00 03 'x' 00 'y' 14 8e0101 09|topic with a NUL inside or malformed UTF-8",
                "00 02 0000 14 8e0101 09|topic with a NUL inside or malformed UTF-8",
                "00 01 80 14 8e0101 09|topic with a NUL inside or malformed UTF-8",
                "03 'r' 00 'r' 00 01 'x' 14 8e0101 09|route with a NUL inside or malformed UTF-8",
                "01 00 00 01 'x' 14 8e0101 09|an empty route, or more than 1024",
            })
    void malformedBodiesAreRefusedWithASentence(String body, String sentence) {
        assertThatThrownBy(() -> Frames.decode(frame(body + REST)))
                .isInstanceOf(ProtocolException.class)
                .hasMessage(sentence);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "a topic that ends in a NUL                     |00 02 'x' 00 14 8e0101 09",
                "a long length with a short number              |00 ff 00000001 'x' 14 8e0101 09",
                "no delimiter                                   |01 'x' 14 8e0101 01",
            })
    void unusualFormsOfDeployedPeersAreAccepted(String what, String body) throws Exception {
        assertThat(Frames.decode(frame(body + REST))).isEqualTo(Request.of("x", null, 0, 1));
    }

    @Test
    void routesOfAnEventAreAcceptedAndDropped() throws Exception {
        String rest = "00 07 'foo.bar' 14 8e0104 09 00000000 00000005 00000007 00000000";
        EventMessage event = new EventMessage(new Header(0, new Credentials(0, 5)), "foo.bar", null, 7);
        assertThat(Frames.decode(frame(rest))).isEqualTo(event);
        assertThat(Frames.decode(frame("08 'ff509979'" + rest))).isEqualTo(event);
    }

    @Test
    void anEmptyTopicIsAccepted() throws Exception {
        assertThat(Frames.decode(frame("00 00 14 8e0101 09" + REST))).isEqualTo(Request.of("", null, 0, 1));
    }

    @Test
    void aMessageWithMoreThan1024RoutesIsRefused() {
        String body = "01 'r'".repeat(1025) + "00 01 'x' 14 8e0101 09" + REST;
        assertThatThrownBy(() -> Frames.decode(frame(body))).hasMessage("an empty route, or more than 1024");
    }

    @Test
    void messagesThatTheReaderWouldRefuseCannotBeConstructed() {
        assertThatThrownBy(() -> Request.of("a\0b", null, 0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("topic has a NUL or a U+FFFD in it");
        assertThatThrownBy(() -> Request.of("a\ufffd", null, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        for (List<String> routes : List.of(List.of(""), List.of("a\0"), List.copyOf(Collections.nCopies(1025, "r")))) {
            assertThatThrownBy(() -> new Request(Header.UNSET, routes, "x", null, 0, 0))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> new Header(Header.TOPIC, Credentials.UNSET)).hasMessage("flags 0x1: not settable");
        assertThatThrownBy(() -> Header.flags(0x100)).hasMessage("flags 0x100: not settable");
    }

    private static byte[] frame(String body) {
        byte[] bytes = Frames.bytes(body);
        return Frames.bytes("12 00 ee ff" + String.format(Locale.ROOT, "%08x", bytes.length) + body);
    }
}
