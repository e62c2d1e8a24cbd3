package io.muster.cli.terminal;

import io.muster.inventory.problem.Text;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;

/** Makes text from users safe for a terminal: reasons and names may have escape sequences and line ends. */
public final class Printable {
    /** An escape character, unless it begins a sequence for colours or bold text. */
    private static final Pattern COLOUR = Pattern.compile("\33(?!\\[[0-9;]*m)");

    private Printable() {}

    /** Returns text that is printed on one line; a line end in the text is replaced too. */
    public static String of(String text) {
        return Text.shown(text);
    }

    /** Returns text of several lines. If {@code colours} is true, the sequences that switch colours stay. */
    public static String lines(String text, boolean colours) {
        IntPredicate kept = c -> c == '\n' || c == '\t' || Text.isShown(c);
        return colours
                ? COLOUR.matcher(Text.replaced(text, c -> c == '\33' || kept.test(c)))
                        .replaceAll("?")
                : Text.replaced(text, kept);
    }

    /** Returns the number of columns on a terminal, counting every code point as one column. */
    static int width(String text) {
        return text.codePointCount(0, text.length());
    }

    /** Returns {@code text} cut to a number of columns. As in flux, {@code +} replaces the end of a longer text. */
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
