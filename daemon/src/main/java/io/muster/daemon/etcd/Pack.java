package io.muster.daemon.etcd;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Packs bytes for etcd, which refuses values over 1.5 MiB. */
final class Pack {
    /** The size of a piece; a key, a lease and the other operations of a transaction fit beside a piece. */
    static final int PIECE = 1 << 20;

    private static final int FASTEST = 1;

    private Pack() {}

    static byte[] deflate(byte[] bytes) {
        Deflater deflater = new Deflater(FASTEST);
        deflater.setInput(bytes);
        deflater.finish();
        ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length / 8 + 1024);
        byte[] chunk = new byte[1 << 16];
        while (!deflater.finished()) {
            out.write(chunk, 0, deflater.deflate(chunk));
        }
        deflater.end();
        return out.toByteArray();
    }

    /** @param size the number of bytes before {@link #deflate} */
    static byte[] inflate(byte[] packed, int size) throws IOException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(packed);
            byte[] bytes = new byte[size];
            int at = 0;
            while (at < size) {
                int read = inflater.inflate(bytes, at, size - at);
                if (read == 0) {
                    throw new IOException("packed bytes end too early");
                }
                at += read;
            }
            if (inflater.inflate(new byte[1]) != 0) {
                throw new IOException("packed bytes are longer than they should be");
            }
            return bytes;
        } catch (DataFormatException e) {
            throw new IOException("packed bytes are damaged: " + e.getMessage(), e);
        } finally {
            inflater.end();
        }
    }

    static List<byte[]> pieces(byte[] bytes) {
        List<byte[]> pieces = new ArrayList<>();
        for (int at = 0; at < bytes.length; at += PIECE) {
            pieces.add(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + PIECE)));
        }
        return pieces;
    }
}
