package io.muster.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * An immutable sequence of bytes; two sequences with the same bytes are equal. Wrapping does not copy: the caller of {@link
 * #wrap} must not write to the array again. Because of this, the responses of a thousand streams can share one encoded
 * payload.
 */
public final class Bytes {
    public static final Bytes EMPTY = new Bytes(new byte[0], 0, 0);

    private final byte[] array;
    private final int offset;
    private final int length;

    private Bytes(byte[] array, int offset, int length) {
        this.array = array;
        this.offset = offset;
        this.length = length;
    }

    public static Bytes wrap(byte[] array) {
        return new Bytes(array, 0, array.length);
    }

    public static Bytes wrap(byte[] array, int offset, int length) {
        if ((offset | length) < 0 || length > array.length - offset) {
            throw new IndexOutOfBoundsException(offset + "+" + length + " of " + array.length + " bytes");
        }
        return new Bytes(array, offset, length);
    }

    public static Bytes copyOf(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(copy);
        return wrap(copy);
    }

    /** Returns a string payload: the text in UTF-8 and a terminating NUL (RFC 3, "Payload Conventions"). */
    public static Bytes text(String text) {
        byte[] utf8 = text.getBytes(UTF_8);
        return wrap(Arrays.copyOf(utf8, utf8.length + 1));
    }

    /** Returns the string of a string payload. A missing NUL and malformed UTF-8 are accepted, because people read this text. */
    public String text() {
        return new String(array, offset, endsWithNul() ? length - 1 : length, UTF_8);
    }

    public int length() {
        return length;
    }

    public byte at(int index) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException(index + " of " + length + " bytes");
        }
        return array[offset + index];
    }

    public boolean endsWithNul() {
        return length > 0 && array[offset + length - 1] == 0;
    }

    /** Returns the first {@code count} bytes. The result shares the array. */
    public Bytes first(int count) {
        return count == length ? this : slice(0, Math.min(count, length));
    }

    /** Returns {@code count} bytes from {@code from} on. The result shares the array. */
    public Bytes slice(int from, int count) {
        if ((from | count) < 0 || count > length - from) {
            throw new IndexOutOfBoundsException(from + "+" + count + " of " + length + " bytes");
        }
        return new Bytes(array, offset + from, count);
    }

    /** Returns a read-only buffer that shares the array. */
    public ByteBuffer toByteBuffer() {
        return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
    }

    public byte[] toByteArray() {
        return Arrays.copyOfRange(array, offset, offset + length);
    }

    public void writeTo(ByteBuffer out) {
        out.put(array, offset, length);
    }

    /** Returns the array that contains the bytes, from {@link #offset} on. The caller must not write to it. */
    byte[] array() {
        return array;
    }

    int offset() {
        return offset;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that
                && Arrays.equals(array, offset, offset + length, that.array, that.offset, that.offset + that.length);
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (int i = offset; i < offset + length; i++) {
            hash = 31 * hash + array[i];
        }
        return hash;
    }

    /** Returns the number of bytes. The content is left out, because it may be long and is not text. */
    @Override
    public String toString() {
        return length + " bytes";
    }
}
