package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FrameDecoderTest {
    private static final int LIMIT = 1 << 20;
    private static final Request PING = Request.of("a.ping", Bytes.text("{}"), 0, 1);
    private static final Request LARGE = Request.of("a.load", Bytes.wrap(new byte[100_000]), 0, 2);

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void framesAreDecodedFromSingleBytes(Dialect dialect) throws Exception {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        byte[] wire = twoFrames(dialect);
        List<Message> received = new ArrayList<>();
        for (byte b : wire) {
            received.addAll(Frames.decodeAll(decoder, ByteBuffer.wrap(new byte[] {b})));
        }
        assertThat(received).containsExactly(PING, LARGE);
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void aFrameMayBeSplitAtAnyByte(Dialect dialect) throws Exception {
        byte[] wire = Frames.encode(dialect, PING);
        for (int cut = 0; cut <= wire.length; cut++) {
            FrameDecoder decoder = new FrameDecoder(LIMIT);
            List<Message> received = Frames.decodeAll(decoder, ByteBuffer.wrap(wire, 0, cut));
            assertThat(decoder.isInsideFrame()).isEqualTo(cut > 0 && cut < wire.length);
            received.addAll(Frames.decodeAll(decoder, ByteBuffer.wrap(wire, cut, wire.length - cut)));
            assertThat(received).containsExactly(PING);
        }
    }

    @Test
    void bytesAfterAMessageAreLeftForTheNextCall() throws Exception {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        ByteBuffer wire = ByteBuffer.wrap(twoFrames(Dialect.DEPLOYED));
        assertThat(decoder.feed(wire)).isEqualTo(PING);
        assertThat(wire.remaining()).isEqualTo(FrameEncoder.of(Dialect.DEPLOYED).size(LARGE));
        assertThat(decoder.feed(wire)).isEqualTo(LARGE);
        assertThat(decoder.feed(wire)).isNull();
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void aFrameOfTheLimitIsAcceptedAndALargerOneIsRefused(Dialect dialect) throws Exception {
        byte[] frame = Frames.encode(dialect, PING);
        assertThat(new FrameDecoder(frame.length).feed(ByteBuffer.wrap(frame))).isEqualTo(PING);
        assertThatThrownBy(() -> new FrameDecoder(frame.length - 1).feed(ByteBuffer.wrap(frame)))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("frame of " + frame.length + " bytes where " + (frame.length - 1) + " are allowed");
    }

    @Test
    void aLengthAboveTheLimitIsRefusedBeforeTheBodyArrives() {
        for (String length : new String[] {"04000000", "7fffffff", "80000000", "ffffffff"}) {
            FrameDecoder decoder = new FrameDecoder(64 << 20);
            byte[] header = Frames.bytes("12 00 ee ff" + length);
            long announced = Long.parseLong(length, 16) + 8;
            assertThatThrownBy(() -> decoder.feed(ByteBuffer.wrap(header)))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessage("frame of " + announced + " bytes where 67108864 are allowed");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "12 00 ee ff 00 00 00 00, 8",
        "12 00 ee ff 00 00 00 14, 28",
        "ff ee 00 12 00 00 00 00, 0",
        "ff ee 00 12 00 00 00 07, 7",
        "ff ee 00 12 00 00 00 1c, 28"
    })
    void aFrameWithoutRoomForAHeaderIsRefused(String header, int size) {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).feed(ByteBuffer.wrap(Frames.bytes(header))))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("frame of " + size + " bytes, less than the smallest of 29");
    }

    @Test
    void theMemoryForAFrameFollowsTheReceivedBytesAndNotTheAnnouncedLength() throws Exception {
        FrameDecoder decoder = new FrameDecoder(64 << 20);
        assertThat(decoder.feed(ByteBuffer.wrap(Frames.bytes("12 00 ee ff 03 c0 00 00 00"))))
                .isNull();
        assertThat(decoder.held()).isEqualTo(4096);
        byte[] piece = new byte[1000];
        for (int sent = 1; sent < 1_000_000; sent += piece.length) {
            decoder.feed(ByteBuffer.wrap(piece));
            assertThat(decoder.held()).isLessThanOrEqualTo(2 * (sent + piece.length) + 4096);
        }
    }

    @Test
    void theDecoderHoldsAtMostOneFrameAndNothingBetweenFrames() throws Exception {
        byte[] large = Frames.encode(Dialect.DEPLOYED, LARGE);
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        decoder.feed(ByteBuffer.wrap(large, 0, large.length - 1));
        assertThat(decoder.held()).isBetween(large.length - 9, large.length - 8);
        decoder.feed(ByteBuffer.wrap(large, large.length - 1, 1));
        assertThat(decoder.held()).isZero();
    }

    @Test
    void aFirstByteOfNeitherMagicIsRefused() {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).feed(ByteBuffer.wrap(Frames.bytes("'G'"))))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("not a Flux message: the first byte is 0x47");
    }

    @ParameterizedTest
    @CsvSource({"12 01, 1, 1, 0", "12 00 00, 2, 0, ee", "12 00 ee 00, 3, 0, ff", "ff 00, 1, 0, ee", "ff ee 12, 2, 12, 0"
    })
    void aMagicIsRefusedAtItsFirstWrongByte(String magic, int index, String found, String right) {
        assertThatThrownBy(() -> new FrameDecoder(LIMIT).feed(ByteBuffer.wrap(Frames.bytes(magic))))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("byte " + index + " of a frame's magic is 0x" + found + " where 0x" + right + " is right");
    }

    @Test
    void theFirstFrameDeterminesTheDialect() throws Exception {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        assertThat(decoder.dialect()).isNull();
        decoder.feed(FrameEncoder.of(Dialect.RFC3).encode(PING));
        assertThat(decoder.dialect()).isEqualTo(Dialect.RFC3);
        assertThatThrownBy(() -> decoder.feed(FrameEncoder.of(Dialect.DEPLOYED).encode(PING)))
                .isInstanceOf(ProtocolException.class)
                .hasMessage("byte 0 of a frame's magic is 0x12 where 0xff is right");
    }

    @Test
    void afterAnErrorEveryCallFailsInTheSameWayAndConsumesNothing() throws Exception {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        assertThatThrownBy(() -> decoder.feed(ByteBuffer.wrap(Frames.bytes("00"))));
        ByteBuffer good = FrameEncoder.of(Dialect.DEPLOYED).encode(PING);
        int size = good.remaining();
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> decoder.feed(good))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessage("not a Flux message: the first byte is 0x0");
        }
        assertThat(good.remaining()).isEqualTo(size);
        assertThat(decoder.isInsideFrame()).isFalse();
    }

    @Test
    void aMalformedMessageInAWellFormedFrameBreaksTheDecoder() {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        byte[] frame = Frames.encode(Dialect.DEPLOYED, PING);
        frame[frame.length - 20] = 0;
        assertThatThrownBy(() -> decoder.feed(ByteBuffer.wrap(frame)));
        assertThatThrownBy(() -> decoder.feed(FrameEncoder.of(Dialect.DEPLOYED).encode(PING)))
                .isInstanceOf(ProtocolException.class);
    }

    private static byte[] twoFrames(Dialect dialect) {
        FrameEncoder encoder = FrameEncoder.of(dialect);
        ByteBuffer wire = ByteBuffer.allocate(encoder.size(PING) + encoder.size(LARGE));
        encoder.encode(PING, wire);
        encoder.encode(LARGE, wire);
        return wire.array();
    }
}
