package io.muster.inventory.problem;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.IntPredicate;

/** Decides which characters may be in a name and which may be printed, replaces or escapes the others, and compares names. */
public final class Text {
    private Text() {}

    /**
     * Returns whether the character may be in a name or a sentence: no control character, no line end and no half of a
     * surrogate pair.
     */
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

    /**
     * Returns whether the character may be printed as it is: one that is allowed in text, and not a mark that changes the
     * direction of the text after it.
     */
    public static boolean isShown(int codePoint) {
        return isText(codePoint) && !isDirection(codePoint);
    }

    private static boolean isDirection(int c) {
        return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    }

    /**
     * Returns the text as one line that is safe for a terminal, with {@code ?} in place of each character that may not be
     * printed.
     */
    public static String shown(String text) {
        return replaced(text, Text::isShown);
    }

    /**
     * Returns the text with {@code ?} in place of all characters that are not in {@code kept}. Halves of surrogate pairs
     * stay, because an encoder replaces a single half.
     */
    public static String replaced(String text, IntPredicate kept) {
        StringBuilder clean = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            // A CR before an LF stays, because CSV ends its lines with CR and LF.
            boolean lineEnd = c == '\r' && text.startsWith("\n", i + 1) && kept.test('\n');
            if (!Character.isSurrogate(c) && !kept.test(c) && !lineEnd) {
                clean = clean == null ? new StringBuilder(text) : clean;
                clean.setCharAt(i, '?');
            }
        }
        return clean == null ? text : clean.toString();
    }

    /** Returns the text as one line, with a space in place of each character that may not be in a sentence, such as a tab. */
    public static String line(String text) {
        StringBuilder line = new StringBuilder();
        text.codePoints().forEach(c -> line.appendCodePoint(isText(c) ? c : ' '));
        return line.toString();
    }

    /** Returns a number with its noun: {@code 1 host}, {@code 9,912 hosts}. */
    public static String count(long number, String noun) {
        return String.format(Locale.ROOT, "%,d %s%s", number, noun, number == 1 ? "" : "s");
    }

    /** Returns a part of a whole in percent. 100 % is all, and 0 % is none. */
    public static String percent(long part, long all) {
        long percent = Math.min(part < all ? 99 : 100, Math.round(100.0 * part / all));
        return percent == 0 && part > 0 ? "less than 1 %" : percent + " %";
    }

    /** Returns the name of a character, such as {@code U+001B}. */
    public static String name(int codePoint) {
        return String.format(Locale.ROOT, "U+%04X", codePoint);
    }

    /**
     * Returns the text with JSON's escapes for characters that may not be printed: a line end becomes {@code \n}, an escape
     * character {@code \}{@code u001b}. A tab stays. Text that is itself JSON, on one line, has the same meaning afterwards.
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

    /** Returns whether the character at an index may be printed as it is. Both halves of a complete surrogate pair may. */
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

    /** Returns the Levenshtein distance between two names, for suggestions. */
    public static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int substituted = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(substituted, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
