package io.muster.inventory.find;

import io.muster.inventory.graph.Unit;
import java.math.BigDecimal;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** A number with a unit. The amount includes the prefix of the unit as a factor: 1.5TB is 1500000000000 of unit B. */
record Quantity(BigDecimal number, BigDecimal amount, String unit) {
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
        Unit known = Unit.of(unit);
        return new Quantity(number, number.multiply(BigDecimal.valueOf(known.factor())), known.base());
    }

    /** Compares with a limit: numbers as they are written if the limit has no unit, otherwise amounts of the same unit. */
    boolean is(Operator operator, Quantity limit) {
        return limit.unit.isEmpty()
                ? operator.accepts(number.compareTo(limit.number))
                : unit.equals(limit.unit) && operator.accepts(amount.compareTo(limit.amount));
    }
}
