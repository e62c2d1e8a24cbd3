package io.muster.daemon.config;

import io.muster.inventory.problem.MalformedException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes as an operator writes it: {@code 4096}, {@code 64KiB}, {@code 1G}; all units are powers of 1024. */
public record ByteSize(long bytes) {
    private static final List<String> UNITS = List.of("", "KiB", "MiB", "GiB", "TiB");
    private static final Pattern FORM = Pattern.compile("(\\d{1,15})(?:([KMGT])(?:iB)?|B)?");

    public ByteSize {
        if (bytes < 0) {
            throw new IllegalArgumentException("a size cannot be " + bytes);
        }
    }

    /** @throws MalformedException if {@code text} is not a size, or is beyond 2^63 bytes */
    public static ByteSize parse(CharSequence text) {
        Matcher m = FORM.matcher(text);
        if (!m.matches()) {
            throw new MalformedException("size", text, 0, "expected a whole number and B, KiB, MiB, GiB or TiB");
        }
        int shift = m.group(2) == null ? 0 : 10 * (1 + "KMGT".indexOf(m.group(2)));
        long number = Long.parseLong(m.group(1));
        if (number > Long.MAX_VALUE >> shift) {
            throw new MalformedException("size", text, 0, "too large");
        }
        return new ByteSize(number << shift);
    }

    /** The exact size in the largest unit that divides it. */
    @Override
    public String toString() {
        long number = bytes;
        int unit = 0;
        while (number != 0 && number % 1024 == 0 && unit < UNITS.size() - 1) {
            number /= 1024;
            unit++;
        }
        return number + UNITS.get(unit);
    }
}
