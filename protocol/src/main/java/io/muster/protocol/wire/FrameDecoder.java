package io.muster.protocol.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Turns the bytes that arrive on a connection, in pieces of any size, into messages.
 *
 * <p>The magic of the first frame determines the {@link Dialect} of the connection. After a malformed frame the decoder is
 * broken: it never searches for another frame, and every further call fails as the first did.
 *
 * <p>The decoder holds at most one frame in memory. It checks the announced length against the limit first, and even then
 * allocates no memory for it in advance: the buffer grows as bytes arrive, to at most twice the bytes received plus {@value
 * #FIRST}.
 */
public final class FrameDecoder {
    private static final int FIRST = 4096;
    private static final byte[] NONE = new byte[0];

    private final int limit;
    private State state = State.MAGIC;
    private @Nullable Dialect dialect;
    /** The number of bytes received of the current magic, length or body. */
    private int filled;

    private int lengthField;
    private int bodyLength;
    private byte[] body = NONE;
    private String fault = "";

    private enum State {
        MAGIC,
        LENGTH,
        BODY,
        BROKEN
    }

    /**
     * Creates the decoder of one connection.
     *
     * @param limit size of the largest frame to accept, in bytes, including its eight header bytes
     */
    public FrameDecoder(int limit) {
        this.limit = limit;
    }

    /** Returns the dialect of the peer; null until the magic of its first frame has arrived. */
    public @Nullable Dialect dialect() {
        return dialect;
    }

    /** Returns the encoder for the peer, whose dialect is the deployed one until another is known. */
    public FrameEncoder encoder() {
        return FrameEncoder.of(dialect == null ? Dialect.DEPLOYED : dialect);
    }

    /** Returns whether a frame has begun and not ended, so that closing the connection now would truncate it. */
    public boolean isInsideFrame() {
        return state != State.BROKEN && (state != State.MAGIC || filled > 0);
    }

    /** Returns the number of bytes of memory that the decoder holds for the current frame. */
    public int held() {
        return body.length;
    }

    /**
     * Reads bytes until a message is complete or none are left.
     *
     * @return a message, with the bytes after it still in {@code in}; or null if {@code in} is used up
     * @throws ProtocolException at the first malformed byte, and at every later call
     */
    public @Nullable Message feed(ByteBuffer in) throws ProtocolException {
        byte[] complete = next(in);
        if (complete == null) {
            return null;
        }
        try {
            return read(complete);
        } catch (ProtocolException e) {
            throw broken(e);
        }
    }

    /**
     * Reads the body of a frame, as {@link #next} returned it. The message refers to the payload in the body without copying
     * it.
     */
    public static Message read(byte[] body) throws ProtocolException {
        return Parts.read(body);
    }

    /**
     * Takes bytes until a frame is complete or none are left.
     *
     * @return the body of the frame, not decoded yet, with the bytes after the frame still in {@code in}; or null if {@code
     *     in} is used up
     * @throws ProtocolException at the first bytes that cannot be a frame, and at every later call
     */
    public byte @Nullable [] next(ByteBuffer in) throws ProtocolException {
        if (state == State.BROKEN) {
            throw new ProtocolException(fault);
        }
        try {
            boolean complete = false;
            while (!complete && in.hasRemaining()) {
                complete = step(in);
            }
            return complete ? finish() : null;
        } catch (ProtocolException e) {
            throw broken(e);
        }
    }

    private ProtocolException broken(ProtocolException e) {
        state = State.BROKEN;
        body = NONE;
        fault = String.valueOf(e.getMessage());
        return e;
    }

    /** Reads the bytes that the current state can use; returns true if the body is complete. */
    private boolean step(ByteBuffer in) throws ProtocolException {
        switch (state) {
            case MAGIC -> readMagic(in);
            case LENGTH -> readLength(in);
            default -> readBody(in);
        }
        return state == State.BODY && filled == bodyLength;
    }

    private void readMagic(ByteBuffer in) throws ProtocolException {
        byte next = in.get();
        if (dialect == null) {
            dialect = recognise(next);
        }
        if (next != dialect.magicByte(filled)) {
            throw new ProtocolException(
                    "byte " + filled + " of a frame's magic is 0x" + Integer.toHexString(next & 0xff) + " where 0x"
                            + Integer.toHexString(dialect.magicByte(filled) & 0xff) + " is right");
        }
        if (++filled == Integer.BYTES) {
            enter(State.LENGTH);
        }
    }

    /** Recognises the dialect by the first byte of the magic, in which the dialects differ. */
    private static Dialect recognise(byte first) throws ProtocolException {
        if (first == Dialect.DEPLOYED.magicByte(0)) {
            return Dialect.DEPLOYED;
        }
        if (first == Dialect.RFC3.magicByte(0)) {
            return Dialect.RFC3;
        }
        throw new ProtocolException("not a Flux message: the first byte is 0x" + Integer.toHexString(first & 0xff));
    }

    private void readLength(ByteBuffer in) throws ProtocolException {
        lengthField = (lengthField << 8) | (in.get() & 0xff);
        if (++filled == Integer.BYTES) {
            startBody();
        }
    }

    private void startBody() throws ProtocolException {
        long length = known().bodyLength(lengthField);
        if (length < Parts.HEADER_PART) {
            throw new ProtocolException("frame of " + (length + Dialect.HEADER) + " bytes, less than the smallest of "
                    + (Parts.HEADER_PART + Dialect.HEADER));
        }
        if (length + Dialect.HEADER > limit) {
            throw new ProtocolException(
                    "frame of " + (length + Dialect.HEADER) + " bytes where " + limit + " are allowed");
        }
        bodyLength = (int) length;
        enter(State.BODY);
    }

    private Dialect known() {
        Dialect recognised = dialect;
        if (recognised == null) {
            throw new IllegalStateException("length before magic");
        }
        return recognised;
    }

    private void readBody(ByteBuffer in) {
        int count = Math.min(bodyLength - filled, in.remaining());
        if (filled + count > body.length) {
            long room = Math.max(FIRST, Math.max(2L * body.length, filled + count));
            body = Arrays.copyOf(body, (int) Math.min(bodyLength, room));
        }
        in.get(body, filled, count);
        filled += count;
    }

    /**
     * Returns the body of the complete frame, in an array of exactly its length. The array belongs to the caller; the next
     * frame gets another array.
     */
    private byte[] finish() {
        byte[] complete = body;
        body = NONE;
        enter(State.MAGIC);
        return complete;
    }

    private void enter(State next) {
        state = next;
        filled = 0;
    }
}
