package io.muster.inventory.find;

import java.math.BigDecimal;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/**
 * A number with a unit. The amount has the prefix of the unit multiplied in: 1.5TB is 1500000000000 of unit B. Only the
 * units in {@link #BASES} have prefixes.
 */
record Quantity(BigDecimal number, BigDecimal amount, String unit) {
    private static final Set<String> BASES = Set.of("B", "B/s", "b", "b/s", "bit/s", "W", "Wh", "J", "Hz", "FLOPS");
    private static final String PREFIXES = "kMGTPE";
    private static final java.util.regex.Pattern FORM =
            java.util.regex.Pattern.compile("(-?[0-9]{1,30}(?:\\.[0-9]{1,30})?) ?([^-0-9. ].{0,30})?");

    /** Reads a number with or without a unit; returns null if the text is neither. */
    static @Nullable Quantity read(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return null;
        }
        @Nullable String unit = form.group(2);
        return of(new BigDecimal(form.group(1)), unit == null ? "" : unit);
    }

    static Quantity of(BigDecimal number, String unit) {
        String plain = unit.startsWith("K") ? "k" + unit.substring(1) : unit;
        int prefix = plain.isEmpty() ? -1 : PREFIXES.indexOf(plain.charAt(0));
        boolean binary = plain.startsWith("i", 1);
        String base = prefix < 0 ? plain : plain.substring(binary ? 2 : 1);
        if (prefix < 0 || (!base.isEmpty() && !BASES.contains(base))) {
            return new Quantity(number, number, unit);
        }
        BigDecimal factor = BigDecimal.valueOf(binary ? 1024 : 1000).pow(prefix + 1);
        return new Quantity(number, number.multiply(factor), base.isEmpty() ? "B" : base);
    }

    /** Compares with a limit: numbers as they are written if the limit has no unit, otherwise amounts of the same unit. */
    boolean is(Operator operator, Quantity limit) {
        return limit.unit.isEmpty()
                ? operator.accepts(number.compareTo(limit.number))
                : unit.equals(limit.unit) && operator.accepts(amount.compareTo(limit.amount));
    }
}
