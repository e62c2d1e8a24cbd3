package io.muster.inventory.hostlist;

/** Turns the numbers between one pair of brackets into ranges. Digits at the end of the prefix become part of the numbers. */
final class Numbering {
    private final String prefix;
    private final String suffix;
    private final HostlistBuilder target;
    private final int prefixDigits;

    Numbering(String prefix, String suffix, HostlistBuilder target) {
        this.prefix = prefix;
        this.suffix = suffix;
        this.target = target;
        this.prefixDigits = prefix.length() - HostRange.numberStart(prefix, HostRange.MAX_DIGITS);
    }

    /**
     * Adds the numbers first..last, written with at least {@code width} digits, and cuts the range where the numbers get
     * longer.
     */
    void add(int width, long first, long last) {
        if (prefixDigits == 0) {
            put(new HostRange(prefix, width, first, (int) (last - first + 1), suffix));
            return;
        }
        long from = first;
        while (from <= last) {
            int length = Math.max(width, HostRange.digits(from));
            long to = Math.min(last, HostRange.power(length) - 1);
            widen(length, from, (int) (to - from + 1));
            from = to + 1;
        }
    }

    /** Adds numbers of {@code length} digits each, preceded by as many of the digits at the end of the prefix as fit. */
    private void widen(int length, long first, int count) {
        int moved = Math.min(prefixDigits, HostRange.MAX_DIGITS - length);
        int cut = prefix.length() - moved;
        long head = moved == 0 ? 0 : Long.parseLong(prefix, cut, prefix.length(), 10);
        long number = head * HostRange.power(length) + first;
        put(new HostRange(prefix.substring(0, cut), length + moved, number, count, suffix));
    }

    private void put(HostRange range) {
        boolean single = range.count() == 1 && !suffix.isEmpty();
        target.add(single ? HostRange.ofName(range.name(0)) : range);
    }
}
