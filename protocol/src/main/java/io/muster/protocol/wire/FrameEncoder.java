package io.muster.protocol.wire;

import java.nio.ByteBuffer;

/**
 * Writes messages as frames of one dialect. A frame is {@code head payload tail}, of which only the payload can be long,
 * and the payload may be shared: whoever sends one payload to many peers writes {@link #writeHead} and {@link #writeTail} anew (some
 * 50 bytes) and hands out the same payload bytes. Holds no state; any thread.
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

    public Dialect dialect() {
        return dialect;
    }

    /** The size of the whole frame. */
    public int size(Message message) {
        return Dialect.HEADER + Parts.size(message, dialect);
    }

    /** The whole frame in a buffer of exactly its size, ready to be read. */
    public ByteBuffer encode(Message message) {
        ByteBuffer frame = ByteBuffer.allocate(size(message));
        encode(message, frame);
        return frame.flip();
    }

    /** The frame's body alone, as {@link FrameDecoder#next} gives it. */
    public byte[] encodeBody(Message message) {
        ByteBuffer frame = encode(message);
        byte[] body = new byte[frame.remaining() - Dialect.HEADER];
        frame.position(Dialect.HEADER).get(body);
        return body;
    }

    /** @param out big-endian, with at least {@link #size} bytes left */
    public void encode(Message message, ByteBuffer out) {
        writeHead(message, out);
        Bytes payload = message.payload();
        if (payload != null) {
            payload.writeTo(out);
        }
        writeTail(message, out);
    }

    /** The size of what stands before the payload's first byte. */
    public int headSize(Message message) {
        Bytes payload = message.payload();
        return size(message) - (payload == null ? 0 : payload.length()) - tailSize();
    }

    /** The size of what stands after the payload's last byte, the same for every message. */
    public int tailSize() {
        return Parts.HEADER_PART;
    }

    /** Writes what stands before the payload's first byte. */
    public void writeHead(Message message, ByteBuffer out) {
        dialect.writeHeader(Parts.size(message, dialect), out);
        Parts.writeBeforePayload(message, dialect, out);
    }

    /** Writes what stands after the payload's last byte. */
    public void writeTail(Message message, ByteBuffer out) {
        Parts.writeAfterPayload(message, out);
    }
}
