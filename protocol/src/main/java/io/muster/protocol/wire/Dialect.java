package io.muster.protocol.wire;

import java.nio.ByteBuffer;

/**
 * The two ways to frame a message on a UNIX stream socket. They differ in the four magic bytes, in whether the length after
 * the magic counts the eight bytes of magic and length too, and in whether topics and routes end in a NUL.
 *
 * <pre>
 * DEPLOYED   12 00 EE FF   length of the body                    topic
 * RFC3       FF EE 00 12   length of the body + 8                topic NUL
 *            magic (4)     length (4, big-endian, unsigned)      body ...
 * </pre>
 */
public enum Dialect {
    /** The dialect that flux-core speaks on a little-endian machine, where it writes 0xffee0012 in the byte order of the host. */
    DEPLOYED(0x1200eeff, 0, 0),

    /** The dialect that RFC 3 "Message Framing and Security" specifies. */
    RFC3(0xffee0012, Dialect.HEADER, 1);

    /** The number of bytes of magic and length together. */
    static final int HEADER = 8;

    final int magic;
    /** How many of these eight bytes the length field counts. */
    final int counted;
    /** The number of NULs that end a topic or a route. */
    final int terminator;

    Dialect(int magic, int counted, int terminator) {
        this.magic = magic;
        this.counted = counted;
        this.terminator = terminator;
    }

    /** Returns the byte of the magic at an index from 0 to 3, in the order on the wire. */
    byte magicByte(int index) {
        return (byte) (magic >>> (24 - 8 * index));
    }

    void writeHeader(int bodyLength, ByteBuffer out) {
        out.putInt(magic);
        out.putInt(bodyLength + counted);
    }

    /** Returns the length of the body for a length field; negative if the field is smaller than possible. */
    long bodyLength(int lengthField) {
        return Integer.toUnsignedLong(lengthField) - counted;
    }
}
