package io.muster.inventory.problem;

import java.util.Locale;
import java.util.function.IntPredicate;

/** Which characters may stand in a name, which may be printed, and how the others are written instead. */
public final class Text {
    private Text() {}

    /** Whether a name or a sentence may hold the character: no control, no line end and no half of a surrogate pair. */
    public static boolean isText(int codePoint) {
        if (codePoint >= ' ' && codePoint < 0x7f) {
            return true;
        }
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                false;
            default -> true;
        };
    }

    /** Whether the character may be printed as it is: text, and not a mark that turns the direction of what follows. */
    public static boolean isShown(int codePoint) {
        return isText(codePoint) && !isDirection(codePoint);
    }

    private static boolean isDirection(int c) {
        return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    }

    /** One line of text, safe for a terminal: {@code ?} replaces each character that may not be printed. */
    public static String shown(String text) {
        return replaced(text, Text::isShown);
    }

    /** Replaces all characters but those in {@code kept}. Halves of surrogate pairs stay: an encoder replaces a single one. */
    public static String replaced(String text, IntPredicate kept) {
        StringBuilder clean = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // CSV ends its lines with CR and LF.
            boolean lineEnd = c == '\r' && text.startsWith("\n", i + 1) && kept.test('\n');
            if (!Character.isSurrogate(c) && !kept.test(c) && !lineEnd) {
                clean = clean == null ? new StringBuilder(text) : clean;
                clean.setCharAt(i, '?');
            }
        }
        return clean == null ? text : clean.toString();
    }

    /** {@code U+001B}. */
    public static String name(int codePoint) {
        return String.format(Locale.ROOT, "U+%04X", codePoint);
    }

    /**
     * The same text with what may not be printed as JSON escapes it: a line end is {@code \n}, an escape character
     * {@code \}{@code u001b}. A tab stays. Text that is itself JSON, on one line, means the same afterwards.
     */
    public static String escaped(String text) {
        int at = 0;
        while (at < text.length() && isPlain(text, at)) {
            at++;
        }
        if (at == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, at);
        for (; at < text.length(); at++) {
            char c = text.charAt(at);
            if (isPlain(text, at)) {
                out.append(c);
            } else {
                out.append(c == '\n' ? "\\n" : String.format(Locale.ROOT, "\\u%04x", (int) c));
            }
        }
        return out.toString();
    }

    /** Whether the character at an index may be printed as it is; both halves of a whole pair may. */
    private static boolean isPlain(String text, int at) {
        char c = text.charAt(at);
        if (!Character.isSurrogate(c)) {
            return c == '\t' || isShown(c);
        }
        int other = Character.isHighSurrogate(c) ? at + 1 : at - 1;
        return other >= 0
                && other < text.length()
                && Character.isSurrogatePair(text.charAt(Math.min(at, other)), text.charAt(Math.max(at, other)));
    }
}
