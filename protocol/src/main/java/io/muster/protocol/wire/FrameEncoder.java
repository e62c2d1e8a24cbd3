package io.muster.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Writes messages as frames of one dialect. A frame is {@code head payload tail}; only the payload can be long. A sender of one
 * payload to many peers can share its bytes and write only head and tail (about 50 bytes) for each peer, with
 * {@link #writeHead} and {@link #writeTail}. An encoder has no state and may be used on any thread.
 */
public final class FrameEncoder {
    private static final FrameEncoder DEPLOYED = new FrameEncoder(Dialect.DEPLOYED);
    private static final FrameEncoder RFC3 = new FrameEncoder(Dialect.RFC3);

    private final Dialect dialect;

    private FrameEncoder(Dialect dialect) {
        this.dialect = dialect;
    }

    public static FrameEncoder of(Dialect dialect) {
        return dialect == Dialect.DEPLOYED ? DEPLOYED : RFC3;
    }

    /** Returns the size of the whole frame. */
    public int size(Message message) {
        return Dialect.HEADER + Parts.size(message, dialect);
    }

    /** Returns the whole frame in a buffer of exactly its size, with the position at the start. */
    public ByteBuffer encode(Message message) {
        ByteBuffer frame = ByteBuffer.allocate(size(message));
        encode(message, frame);
        return frame.flip();
    }

    /** Returns the body of the frame alone, as {@link FrameDecoder#next} returns it. */
    public byte[] encodeBody(Message message) {
        ByteBuffer frame = encode(message);
        byte[] body = new byte[frame.remaining() - Dialect.HEADER];
        frame.position(Dialect.HEADER).get(body);
        return body;
    }

    /**
     * Writes the whole frame.
     *
     * @param out a big-endian buffer with at least {@link #size} bytes left
     */
    public void encode(Message message, ByteBuffer out) {
        writeHead(message, out);
        Bytes payload = message.payload();
        if (payload != null) {
            payload.writeTo(out);
        }
        writeTail(message, out);
    }

    /** Returns the size of the part of the frame that comes before the payload. */
    public int headSize(Message message) {
        Bytes payload = message.payload();
        return size(message) - (payload == null ? 0 : payload.length()) - tailSize();
    }

    /** Returns the size of the part of the frame that comes after the payload, which is the same for every message. */
    public int tailSize() {
        return Parts.HEADER_PART;
    }

    /** Writes the part of the frame that comes before the payload. */
    public void writeHead(Message message, ByteBuffer out) {
        dialect.writeHeader(Parts.size(message, dialect), out);
        Parts.writeBeforePayload(message, dialect, out);
    }

    /** Writes the part of the frame that comes after the payload. */
    public void writeTail(Message message, ByteBuffer out) {
        Parts.writeAfterPayload(message, out);
    }
}
