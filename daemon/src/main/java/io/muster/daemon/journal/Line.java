package io.muster.daemon.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/** The bytes of one line of a segment, in every format level: {@code CRC32C-hex space JSON newline}. */
final class Line {
    /**
     * The length of the longest line that is written or read. The longest lines hold R with its scheduling graph, which
     * takes some hundred bytes for each core.
     */
    static final int LIMIT = 128 << 20;

    /** The length of the checksum and the space after it: eight digits and one blank. */
    static final int PREFIX = 9;

    private static final byte[] HEX = ascii("0123456789abcdef");
    static final byte[] SEQ = ascii("{\"seq\":");
    static final byte[] DURABLE = ascii(",\"durable\":");
    static final byte[] MORE = ascii(",\"more\":");
    private static final int OVERHEAD = PREFIX + SEQ.length + DURABLE.length + MORE.length + 3 * 20 + 2;

    private Line() {}

    /** Returns an upper bound of the bytes that {@link #encode} needs for an event. */
    static int room(byte[] event) {
        return OVERHEAD + event.length;
    }

    /**
     * Writes one event, with the journal's keys before its own.
     *
     * @param more number of lines of the same command that follow
     */
    static void encode(ByteBuffer out, long seq, long durable, int more, byte[] event) {
        int start = out.position();
        out.position(start + PREFIX);
        digits(out.put(SEQ), seq);
        digits(out.put(DURABLE), durable);
        if (more > 0) {
            digits(out.put(MORE), more);
        }
        out.put((byte) ',').put(event, 1, event.length - 1);
        seal(out, start);
    }

    /**
     * Returns the beginning of the line of a long event: the event follows without its first byte, and then a newline.
     *
     * @param more as in {@link #encode}
     */
    static ByteBuffer begin(long seq, long durable, int more, byte[] event) {
        ByteBuffer out = ByteBuffer.allocate(OVERHEAD);
        encode(out, seq, durable, more, new byte[] {'{'});
        out.flip().limit(out.limit() - 1);
        CRC32C crc = new CRC32C();
        crc.update(out.duplicate().position(PREFIX));
        crc.update(event, 1, event.length - 1);
        hex(out, 0, (int) crc.getValue());
        return out;
    }

    /** Returns the text before the keys of an event, as {@link #encode} writes it. */
    static String head(long seq, long durable, int more) {
        return "{\"seq\":" + seq + ",\"durable\":" + durable + (more > 0 ? ",\"more\":" + more : "") + ",";
    }

    /** Writes a line as given, without adding keys: the head of a segment, or an event copied by a repair. */
    static void encode(ByteBuffer out, String json) {
        int start = out.position();
        out.position(start + PREFIX);
        out.put(json.getBytes(StandardCharsets.UTF_8));
        seal(out, start);
    }

    private static void seal(ByteBuffer out, int start) {
        int end = out.position();
        CRC32C crc = new CRC32C();
        crc.update(out.duplicate().position(start + PREFIX).limit(end));
        hex(out, start, (int) crc.getValue());
        out.put(start + PREFIX - 1, (byte) ' ');
        out.put((byte) '\n');
    }

    static void hex(ByteBuffer out, int at, int value) {
        for (int i = 0; i < 8; i++) {
            out.put(at + i, HEX[(value >>> (28 - 4 * i)) & 0xf]);
        }
    }

    private static void digits(ByteBuffer out, long value) {
        long scale = 1;
        while (value / scale >= 10) {
            scale *= 10;
        }
        for (; scale > 0; scale /= 10) {
            out.put((byte) ('0' + value / scale % 10));
        }
    }

    /** Returns whether these bytes, without the newline, are a line that is unchanged since it was written. */
    static boolean intact(byte[] bytes, int length) {
        return intact(bytes, 0, length);
    }

    static boolean intact(byte[] bytes, int from, int to) {
        if (to - from <= PREFIX || bytes[from + PREFIX - 1] != ' ') {
            return false;
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, from + PREFIX, to - from - PREFIX);
        int value = (int) crc.getValue();
        for (int i = 0; i < 8; i++) {
            if (bytes[from + i] != HEX[(value >>> (28 - 4 * i)) & 0xf]) {
                return false;
            }
        }
        return true;
    }

    static String crc(byte[] bytes, int from, int to) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        byte[] digits = new byte[8];
        hex(ByteBuffer.wrap(digits), 0, (int) crc.getValue());
        return new String(digits, StandardCharsets.US_ASCII);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
