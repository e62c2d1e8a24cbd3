package io.muster.cli.terminal;

import io.muster.inventory.problem.Text;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/** Text of somebody else's, made safe for a terminal: reasons and names may hold escape sequences and line ends. */
public final class Printable {
    /** An escape character that does not begin a sequence for colours and weights. */
    private static final Pattern COLOUR = Pattern.compile("\33(?!\\[[0-9;]*m)");

    private Printable() {}

    /** One line: a line end within it is replaced too. */
    public static String of(String text) {
        return Text.shown(text);
    }

    /** Text of several lines. Where colours are shown, the sequences that switch them stay. */
    public static String lines(String text, boolean colours) {
        IntPredicate kept = c -> c == '\n' || c == '\t' || Text.isShown(c);
        return colours
                ? COLOUR.matcher(Text.replaced(text, c -> c == '\33' || kept.test(c)))
                        .replaceAll("?")
                : Text.replaced(text, kept);
    }

    /** Columns on a terminal, counting every code point as one column. */
    static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    /** {@code text} cut to a number of columns; as in flux, {@code +} replaces the end of a longer text. */
    static String cut(String text, int columns) {
        if (width(text) <= columns) {
            return text;
        }
        return text.substring(0, text.offsetByCodePoints(0, Math.max(0, columns - 1))) + "+";
    }

    static void pad(StringBuilder out, int columns) {
        for (int i = 0; i < columns; i++) {
            out.append(' ');
        }
    }
}
