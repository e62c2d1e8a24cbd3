package io.muster.inventory.json;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;

/**
 * An output stream that collects its output in pieces. A long piece can be added without a copy, so that several documents
 * share its bytes.
 */
public final class Pieces extends OutputStream {
    /** Shorter pieces are copied, because a document in many small pieces costs more than a copy. */
    private static final int LEAST_SHARED = 1 << 16;

    /** The length up to which a piece grows. A longer piece would have to be copied too often while it grows. */
    private static final int LONGEST = 1 << 20;

    private final List<byte[]> pieces = new ArrayList<>();
    private ByteArrayOutputStream open = new ByteArrayOutputStream(256);
    private int size;

    @Override
    public void write(int b) {
        room(1);
        open.write(b);
    }

    @Override
    public void write(byte[] bytes, int from, int count) {
        room(count);
        open.write(bytes, from, count);
    }

    private void room(int count) {
        size = Math.addExact(size, count);
        if (open.size() + count > LONGEST) {
            cut();
        }
    }

    /** Adds bytes that are never changed again. */
    public void share(byte[] bytes) {
        if (bytes.length < LEAST_SHARED) {
            write(bytes, 0, bytes.length);
            return;
        }
        cut();
        pieces.add(bytes);
        size = Math.addExact(size, bytes.length);
    }

    private void cut() {
        if (open.size() > 0) {
            pieces.add(open.toByteArray());
            open = new ByteArrayOutputStream(256);
        }
    }

    /** Returns the pieces in order. */
    public List<byte[]> all() {
        cut();
        return List.copyOf(pieces);
    }

    public int size() {
        return size;
    }

    /** Returns everything in one array. */
    public byte[] toByteArray() {
        if (pieces.isEmpty()) {
            return open.toByteArray();
        }
        byte[] whole = new byte[size];
        int at = 0;
        for (byte[] piece : all()) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            at += piece.length;
        }
        return whole;
    }
}
