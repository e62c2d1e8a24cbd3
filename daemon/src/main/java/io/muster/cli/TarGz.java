package io.muster.cli;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;

/** Writes a compressed archive (POSIX ustar) of files whose mode is 0600. */
final class TarGz implements AutoCloseable {
    private static final int BLOCK = 512;

    private final GZIPOutputStream out;
    private final String directory;
    private final long epochSeconds;

    /**
     * @param directory the directory in the archive that contains all files
     * @param epochSeconds the time of all files
     */
    TarGz(OutputStream out, String directory, long epochSeconds) throws IOException {
        this.out = new GZIPOutputStream(out);
        this.directory = directory;
        this.epochSeconds = epochSeconds;
    }

    void add(String name, byte[] content) throws IOException {
        byte[] header = new byte[BLOCK];
        put(header, 0, directory + "/" + name);
        put(header, 100, "0000600");
        put(header, 108, "0000000");
        put(header, 116, "0000000");
        put(header, 124, octal(content.length));
        put(header, 136, octal(epochSeconds));
        put(header, 148, "        ");
        header[156] = '0';
        put(header, 257, "ustar\00000");
        int sum = 0;
        for (byte b : header) {
            sum += b & 0xff;
        }
        put(header, 148, octal(sum).substring(5) + "\0");
        out.write(header);
        out.write(content);
        out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private static String octal(long number) {
        char[] digits = new char[11];
        Arrays.fill(digits, '0');
        String octal = Long.toOctalString(number);
        return new String(digits, 0, digits.length - octal.length()) + octal;
    }

    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.close();
    }
}
