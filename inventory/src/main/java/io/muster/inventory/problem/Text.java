package io.muster.inventory.problem;

import java.util.Locale;

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
