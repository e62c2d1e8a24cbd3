package io.muster.inventory.idset;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;

/**
 * Writes ranges of ids, which must be added in ascending order, as RFC 22 text in canonical form. The text is kept as bytes,
 * because a StringBuilder takes twice the time on fragmented sets. A writer belongs to one thread.
 */
public final class IdsetWriter implements RangeConsumer {
    /** The length of the longest item: two numbers of ten digits, a hyphen and a comma. */
    private static final int LONGEST_ITEM = 22;

    private static final byte[] TENS = new byte[100];
    private static final byte[] ONES = new byte[100];

    static {
        for (int i = 0; i < 100; i++) {
            TENS[i] = (byte) ('0' + i / 10);
            ONES[i] = (byte) ('0' + i % 10);
        }
    }

    private byte[] text = new byte[4 * LONGEST_ITEM];
    private int length;
    /** The number of digits of all ids below {@link #bound}. Ids ascend, so neither field ever decreases. */
    private int digits = 1;

    private long bound = 10;

    /**
     * First id of the last range that was added, which the next range may continue. There is no such range while {@code
     * last} is less than {@code first}.
     */
    private int first;

    private int last = -1;

    @Override
    public void accept(int from, int to) {
        if (last >= 0 && from == last + 1) {
            last = to;
            return;
        }
        flush();
        first = from;
        last = to;
    }

    private void flush() {
        if (last < 0) {
            return;
        }
        if (text.length - length < LONGEST_ITEM) {
            text = Arrays.copyOf(text, text.length * 2);
        }
        if (length > 0) {
            text[length++] = ',';
        }
        number(first);
        if (last > first) {
            text[length++] = '-';
            number(last);
        }
    }

    /** Returns the text of all ranges added so far. No range may be added afterwards. */
    public String text() {
        flush();
        return new String(text, 0, length, ISO_8859_1);
    }

    private void number(int n) {
        while (n >= bound) {
            bound *= 10;
            digits++;
        }
        byte[] out = text;
        int at = length + digits;
        length = at;
        int rest = n;
        while (rest >= 100) {
            int quotient = rest / 100;
            int pair = rest - quotient * 100;
            out[--at] = ONES[pair];
            out[--at] = TENS[pair];
            rest = quotient;
        }
        out[--at] = ONES[rest];
        if (rest >= 10) {
            out[--at] = TENS[rest];
        }
    }
}
