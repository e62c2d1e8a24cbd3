package io.muster.protocol.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Converts between the bytes that tests write and the messages that tests read. */
public final class Frames {
    private Frames() {}

    /** Returns the bytes of hexadecimal text. Spaces are ignored; {@code 'abc'} stands for its characters. */
    public static byte[] bytes(String text) {
        StringBuilder hex = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\'') {
                quoted = !quoted;
            } else if (quoted) {
                hex.append(HexFormat.of().toHexDigits((byte) c));
            } else if (!Character.isWhitespace(c)) {
                hex.append(c);
            }
        }
        return HexFormat.of().parseHex(hex);
    }

    public static String hex(ByteBuffer frame) {
        byte[] bytes = new byte[frame.remaining()];
        frame.duplicate().get(bytes);
        return HexFormat.ofDelimiter(" ").formatHex(bytes);
    }

    public static byte[] encode(Dialect dialect, Message message) {
        return Bytes.copyOf(FrameEncoder.of(dialect).encode(message)).toByteArray();
    }

    public static List<Message> decodeAll(FrameDecoder decoder, ByteBuffer in) throws ProtocolException {
        List<Message> messages = new ArrayList<>();
        for (Message message = decoder.feed(in); message != null; message = decoder.feed(in)) {
            messages.add(message);
        }
        return messages;
    }

    /** Returns the only message in these bytes. */
    public static Message decode(byte[] frame) throws ProtocolException {
        FrameDecoder decoder = new FrameDecoder(1 << 26);
        List<Message> messages = decodeAll(decoder, ByteBuffer.wrap(frame));
        if (messages.size() != 1 || decoder.isInsideFrame()) {
            throw new AssertionError(messages.size() + " messages, inside another: " + decoder.isInsideFrame());
        }
        return messages.get(0);
    }
}
