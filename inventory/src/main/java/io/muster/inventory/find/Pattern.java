package io.muster.inventory.find;

import io.muster.inventory.idset.Idset;
import java.math.BigDecimal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A value in an expression.
 *
 * @param names the names that a hostlist stands for; null if the text is no hostlist
 * @param exact whether a star stands for itself, because the text was in quotes
 */
record Pattern(String text, boolean exact, @Nullable Set<String> names) {
    static Pattern literal(String text) {
        return new Pattern(text, true, null);
    }

    boolean isGlob() {
        return !exact && names == null && text.indexOf('*') >= 0;
    }

    boolean matches(String value) {
        if (names != null) {
            return names.contains(value);
        }
        return isGlob() ? matches(text, value) : text.equals(value);
    }

    /** Returns the names that match; only for a pattern without star. */
    Set<String> literals() {
        return names == null ? Set.of(text) : names;
    }

    /** Returns the text as a quantity. The parser has checked that the text is a quantity. */
    Quantity quantity() {
        Quantity read = Quantity.read(text);
        return read == null ? new Quantity(BigDecimal.ZERO, BigDecimal.ZERO, "") : read;
    }

    Idset ids() {
        return Idset.parse(text);
    }

    /** Returns whether a text matches a glob, in which a star stands for any text. The last star that was passed is tried again. */
    static boolean matches(String glob, String text) {
        int g = 0;
        int star = -1;
        int resume = 0;
        int t = 0;
        while (t < text.length()) {
            if (g < glob.length() && glob.charAt(g) == '*') {
                star = g++;
                resume = t;
            } else if (g < glob.length() && glob.charAt(g) == text.charAt(t)) {
                g++;
                t++;
            } else if (star >= 0) {
                g = star + 1;
                t = ++resume;
            } else {
                return false;
            }
        }
        while (g < glob.length() && glob.charAt(g) == '*') {
            g++;
        }
        return g == glob.length();
    }
}
