package io.muster.daemon.cli.render;

/** Makes text from others safe for a terminal: reasons and names may contain escape sequences and line ends. */
public final class Printable {
    private Printable() {}

    public static String of(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isControl(text.charAt(i))) {
                return replaced(text);
            }
        }
        return text;
    }

    private static String replaced(String text) {
        StringBuilder clean = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            clean.append(isControl(c) ? '?' : c);
        }
        return clean.toString();
    }

    /** Whether a character is a C0 or C1 control, or a mark that changes the direction of text. */
    private static boolean isControl(char c) {
        return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
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
