package io.muster.inventory.hostlist;

/**
 * Consecutively numbered hosts, or one host without a number.
 *
 * <p>A number is as long as possible: all digits before the suffix belong to it, up to {@link #MAX_DIGITS}. Therefore a name
 * can be read in one way only, and equal lists without suffixes consist of equal ranges.
 *
 * @param width digits of the shortest number, including leading zeros; 1 if no number has leading zeros; 0 for a host
 *     without a number, whose name is the prefix
 * @param suffix text after the number; "" for a single host
 */
record HostRange(String prefix, int width, long first, int count, String suffix) {
    /**
     * The highest number of digits in a number. Numbers stay below 10^18, so that sums and products with small factors fit a
     * long.
     */
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

    /**
     * Returns the index at which the digits at the end of {@code text} start, looking at the last {@code limit} characters
     * only.
     */
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

    /** Returns 10 to the power of {@code exponent}, which is at most {@link #MAX_DIGITS}. */
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

    /** Returns a number of this range as it is written, with leading zeros. */
    String number(long number) {
        String text = Long.toString(number);
        return text.length() >= width ? text : "0".repeat(width - text.length()) + text;
    }

    /** Returns the part of this range that has {@code length} hosts and starts at {@code offset}. */
    HostRange slice(int offset, int length) {
        if (offset == 0 && length == count) {
            return this;
        }
        if (length == 1 && !suffix.isEmpty()) {
            return ofName(name(offset));
        }
        return new HostRange(prefix, width, first + offset, length, suffix);
    }

    /** Returns whether {@code next} continues this range, so that the two can be joined. */
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

    /** Returns whether the numbers of {@code other} look the same when written with the width of this range. */
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
