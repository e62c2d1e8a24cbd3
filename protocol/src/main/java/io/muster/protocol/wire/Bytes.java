package io.muster.protocol.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * An immutable sequence of bytes; two sequences with the same bytes are equal. Wrapping and joining do not copy: the caller must not
 * write to the arrays again. Because of this, the responses of a thousand streams can share one encoded payload, and responses with
 * the same R can share its bytes.
 */
public final class Bytes implements Comparable<Bytes> {
    public static final Bytes EMPTY = new Bytes(List.of());

    private final List<Piece> pieces;
    private final int length;

    private Bytes(List<Piece> pieces) {
        this.pieces = pieces;
        int sum = 0;
        for (Piece piece : pieces) {
            sum = Math.addExact(sum, piece.length);
        }
        this.length = sum;
    }

    private static final class Piece {
        private final byte[] array;
        private final int offset;
        private final int length;

        Piece(byte[] array, int offset, int length) {
            this.array = array;
            this.offset = offset;
            this.length = length;
        }

        ByteBuffer buffer() {
            return ByteBuffer.wrap(array, offset, length).slice().asReadOnlyBuffer();
        }
    }

    public static Bytes wrap(byte[] array) {
        return wrap(array, 0, array.length);
    }

    public static Bytes wrap(byte[] array, int offset, int length) {
        if ((offset | length) < 0 || length > array.length - offset) {
            throw new IndexOutOfBoundsException(offset + "+" + length + " of " + array.length + " bytes");
        }
        return length == 0 ? EMPTY : new Bytes(List.of(new Piece(array, offset, length)));
    }

    /** Returns the bytes of all arrays, one after the other. */
    public static Bytes of(List<byte[]> arrays) {
        return join(arrays.stream().map(Bytes::wrap).toArray(Bytes[]::new));
    }

    /** Returns the bytes of all parts, one after the other. */
    public static Bytes join(Bytes... parts) {
        List<Piece> pieces = new ArrayList<>();
        for (Bytes part : parts) {
            pieces.addAll(part.pieces);
        }
        return new Bytes(List.copyOf(pieces));
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
        Piece whole = first(endsWithNul() ? length - 1 : length).whole();
        return new String(whole.array, whole.offset, whole.length, UTF_8);
    }

    public int length() {
        return length;
    }

    public byte at(int index) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException(index + " of " + length + " bytes");
        }
        int left = index;
        for (Piece piece : pieces) {
            if (left < piece.length) {
                return piece.array[piece.offset + left];
            }
            left -= piece.length;
        }
        throw new IllegalStateException("the pieces are shorter than their sum");
    }

    public boolean endsWithNul() {
        return length > 0 && at(length - 1) == 0;
    }

    /** Returns the first {@code count} bytes, or all if there are fewer. The result shares the arrays. */
    public Bytes first(int count) {
        List<Piece> some = new ArrayList<>();
        int left = count;
        for (Piece piece : pieces) {
            if (left > 0) {
                some.add(new Piece(piece.array, piece.offset, Math.min(left, piece.length)));
            }
            left -= piece.length;
        }
        return left >= 0 ? this : new Bytes(List.copyOf(some));
    }

    /** Returns read-only buffers that share the arrays, in order. */
    public List<ByteBuffer> toByteBuffers() {
        return pieces.stream().map(Piece::buffer).toList();
    }

    public byte[] toByteArray() {
        ByteBuffer all = ByteBuffer.allocate(length);
        writeTo(all);
        return all.array();
    }

    public void writeTo(ByteBuffer out) {
        for (Piece piece : pieces) {
            out.put(piece.array, piece.offset, piece.length);
        }
    }

    private Piece whole() {
        return pieces.size() == 1 ? pieces.get(0) : new Piece(toByteArray(), 0, length);
    }

    /** Receives a part of an array, and must not write to the array. */
    interface Use<T> {
        T of(byte[] array, int offset, int length) throws IOException;
    }

    /** Passes the bytes in one array, which is a copy only if the bytes are in several. */
    <T> T inOneArray(Use<T> use) throws IOException {
        Piece whole = whole();
        return use.of(whole.array, whole.offset, whole.length);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that
                && length == that.length
                && whole().buffer().equals(that.whole().buffer());
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (Piece piece : pieces) {
            for (int i = piece.offset; i < piece.offset + piece.length; i++) {
                hash = 31 * hash + piece.array[i];
            }
        }
        return hash;
    }

    /** Compares by length, and then by content. */
    @Override
    public int compareTo(Bytes other) {
        int lengths = Integer.compare(length, other.length);
        return lengths != 0 ? lengths : whole().buffer().compareTo(other.whole().buffer());
    }

    /** Returns the number of bytes. The content is left out, because it may be long and is not text. */
    @Override
    public String toString() {
        return length + " bytes";
    }
}
