package io.muster.inventory.hostlist;

/**
 * Consecutively numbered hosts, or one host without a number.
 *
 * <p>Numbers are as long as possible: all digits that end the prefix belong to them, up to {@link #MAX_DIGITS}. So a name has
 * one reading only, and equal lists without suffixes are equal range by range.
 *
 * @param width digits of the shortest number, counting the zeros in front; 1 where no number has such zeros; 0 for a host
 *     without a number, whose name is the prefix
 * @param suffix what follows the number; a single host never has one
 */
record HostRange(String prefix, int width, long first, int count, String suffix) {
    /** Numbers stay below 10^18, which leaves a long some room. */
    static final int MAX_DIGITS = 18;

    private static final long[] POWERS = powers();

    HostRange {
        if (width > 1 && digits(first) >= width) {
            width = 1;
        }
    }

    static HostRange ofName(String name) {
        int start = numberStart(name, MAX_DIGITS);
        if (start == name.length()) {
            return new HostRange(name, 0, 0, 1, "");
        }
        long number = Long.parseLong(name, start, name.length(), 10);
        return new HostRange(name.substring(0, start), name.length() - start, number, 1, "");
    }

    /** Where the digits that end {@code text} start, looking at the last {@code limit} characters only. */
    static int numberStart(String text, int limit) {
        int start = text.length();
        int stop = Math.max(0, start - limit);
        while (start > stop && isDigit(text.charAt(start - 1))) {
            start--;
        }
        return start;
    }

    static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    static int digits(long number) {
        int digits = 1;
        while (digits < MAX_DIGITS && number >= POWERS[digits]) {
            digits++;
        }
        return digits;
    }

    /** 10 to the power of {@code exponent}, which is at most {@link #MAX_DIGITS}. */
    static long power(int exponent) {
        return POWERS[exponent];
    }

    boolean isNumbered() {
        return width > 0;
    }

    long last() {
        return first + count - 1;
    }

    String name(int offset) {
        return isNumbered() ? prefix + number(first + offset) + suffix : prefix;
    }

    /** A number of this range as it is written, zeros in front. */
    String number(long number) {
        String text = Long.toString(number);
        return text.length() >= width ? text : "0".repeat(width - text.length()) + text;
    }

    /** The part from {@code offset}, {@code length} hosts long. */
    HostRange slice(int offset, int length) {
        if (offset == 0 && length == count) {
            return this;
        }
        if (length == 1 && !suffix.isEmpty()) {
            return ofName(name(offset));
        }
        return new HostRange(prefix, width, first + offset, length, suffix);
    }

    /** Whether {@code next} continues this range, so that both can be one. */
    boolean joins(HostRange next) {
        return isNumbered()
                && next.first == first + count
                && reads(next)
                && prefix.equals(next.prefix)
                && suffix.equals(next.suffix);
    }

    HostRange join(HostRange next) {
        return new HostRange(prefix, width, first, count + next.count, suffix);
    }

    /** Whether the numbers of {@code other} look the same when written with the width of this range. */
    boolean reads(HostRange other) {
        return other.width == width || (other.width == 1 && digits(other.first) >= width);
    }

    private static long[] powers() {
        long[] powers = new long[MAX_DIGITS + 1];
        powers[0] = 1;
        for (int i = 1; i <= MAX_DIGITS; i++) {
            powers[i] = powers[i - 1] * 10;
        }
        return powers;
    }
}
