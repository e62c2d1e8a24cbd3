package io.muster.inventory.graph;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A unit of the sizes of pools, as a number of a base unit: a GiB is 2^30 B. Only the units in {@link #BASES} have prefixes;
 * every other unit is its own base. The unit of bytes may be in lower case, unless that means bits.
 */
public record Unit(String base, long factor) {
    public static final List<String> BASES = List.of("B", "B/s", "b", "b/s", "bit/s", "W", "Wh", "J", "Hz", "FLOPS");

    private static final String PREFIXES = "kMGTPE";

    public static Unit of(String unit) {
        @Nullable Unit exact = prefixed(unit);
        if (exact != null) {
            return exact;
        }
        String upper = unit.toUpperCase(Locale.ROOT);
        @Nullable Unit bytes = upper.endsWith("B") ? prefixed(upper.replaceFirst("I", "i")) : null;
        return bytes != null ? bytes : new Unit(upper.equals("BYTES") ? "B" : unit, 1);
    }

    private static @Nullable Unit prefixed(String unit) {
        if (BASES.contains(unit)) {
            return new Unit(unit, 1);
        }
        String plain = unit.startsWith("K") ? "k" + unit.substring(1) : unit;
        int prefix = plain.isEmpty() ? -1 : PREFIXES.indexOf(plain.charAt(0));
        boolean binary = plain.startsWith("i", 1);
        String base = prefix < 0 ? "" : plain.substring(binary ? 2 : 1);
        if (prefix < 0 || !(base.isEmpty() || BASES.contains(base))) {
            return null;
        }
        long factor = 1;
        for (int i = 0; i <= prefix; i++) {
            factor *= binary ? 1024 : 1000;
        }
        return new Unit(base.isEmpty() ? "B" : base, factor);
    }

    /** Returns whether there is no unit, or one that can have prefixes. */
    public boolean isKnown() {
        return base.isEmpty() || BASES.contains(base);
    }
}
