package io.muster.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.muster.testing.Seeds;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Properties that hold for every message and every sequence of bytes. */
class MessagePropsTest {
    private static final int LIMIT = 1 << 20;

    @Seeds
    void messagesAreDecodedUnchangedHoweverTheirBytesAreSplit(Random seeded) throws Exception {
        Messages random = new Messages(seeded);
        List<Message> sent = random.several();
        Dialect dialect = random.dialect();
        ByteBuffer wire = ByteBuffer.wrap(frames(sent, dialect));

        FrameDecoder decoder = new FrameDecoder(LIMIT);
        List<Message> received = new ArrayList<>();
        while (wire.hasRemaining()) {
            received.addAll(Frames.decodeAll(decoder, random.cut(wire)));
        }

        assertThat(received).isEqualTo(sent);
        assertThat(received).hasSameHashCodeAs(sent);
        assertThat(decoder.dialect()).isEqualTo(dialect);
        assertThat(decoder.isInsideFrame()).isFalse();
        assertThat(decoder.held()).isZero();
    }

    @Seeds
    void headPayloadAndTailHaveThePredictedSizesAndMakeUpTheFrame(Random seeded) {
        Messages random = new Messages(seeded);
        Message message = random.next();
        FrameEncoder encoder = FrameEncoder.of(random.dialect());
        ByteBuffer whole = encoder.encode(message);
        Bytes payload = message.payload();

        ByteBuffer pieces = ByteBuffer.allocate(encoder.size(message));
        encoder.writeHead(message, pieces);
        assertThat(pieces.position()).isEqualTo(encoder.headSize(message));
        pieces.put(payload == null ? ByteBuffer.allocate(0) : ByteBuffer.wrap(payload.toByteArray()));
        int beforeTail = pieces.position();
        encoder.writeTail(message, pieces);

        assertThat(pieces.position() - beforeTail).isEqualTo(encoder.tailSize());
        assertThat(pieces.flip()).isEqualTo(whole);
    }

    @Seeds
    void damagedFramesAreRefusedOrDecodedAsMessagesThatCanBeEncoded(Random seeded) throws Exception {
        Messages random = new Messages(seeded);
        for (int i = 0; i < 100; i++) {
            byte[] spoilt = random.spoil(frames(random.several(), random.dialect()));
            feedSpoilt(spoilt, random);
        }
    }

    private static void feedSpoilt(byte[] spoilt, Messages random) throws Exception {
        FrameDecoder decoder = new FrameDecoder(LIMIT);
        ByteBuffer wire = ByteBuffer.wrap(spoilt);
        try {
            while (wire.hasRemaining()) {
                for (Message message : Frames.decodeAll(decoder, random.cut(wire))) {
                    assertThat(Frames.decode(Frames.encode(Dialect.DEPLOYED, message)))
                            .isEqualTo(message);
                    assertThat(WireTrace.received("peer", message)).doesNotContain("\n");
                }
                assertThat(decoder.held()).isLessThanOrEqualTo(2 * wire.position() + 4096);
            }
        } catch (ProtocolException e) {
            assertThat(e).hasMessageMatching("\\S.{5,}");
            assertThat(decoder.held()).isZero();
        } catch (RuntimeException e) {
            fail("only ProtocolException may come out of decoding " + Frames.hex(ByteBuffer.wrap(spoilt)), e);
        }
    }

    private static byte[] frames(List<Message> messages, Dialect dialect) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (Message message : messages) {
            out.writeBytes(Frames.encode(dialect, message));
        }
        return out.toByteArray();
    }
}
