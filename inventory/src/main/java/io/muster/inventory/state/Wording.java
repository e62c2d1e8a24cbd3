package io.muster.inventory.state;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Checks text that people write about a change. The text appears in journals, logs and tables, so it is one line of limited
 * length.
 */
final class Wording {
    /** Characters at most, in code points. */
    private static final int LONGEST = 4096;

    private Wording() {}

    /**
     * Returns what is wrong with a text, or null.
     *
     * @param noun name of the text, such as "reason"
     */
    static @Nullable String fault(String noun, @Nullable String text) {
        if (text == null) {
            return null;
        }
        int length = text.codePointCount(0, text.length());
        if (length > LONGEST) {
            return "the " + noun + " has " + length + " characters, and may have " + LONGEST;
        }
        int at = 0;
        for (int character : text.codePoints().toArray()) {
            at++;
            if (!isText(character)) {
                return "the " + noun + " must be one line of text, but character " + at + " is U+" + hex(character);
            }
        }
        return null;
    }

    private static String hex(int character) {
        String digits = Integer.toHexString(character).toUpperCase(Locale.ROOT);
        return "0".repeat(4 - Math.min(4, digits.length())) + digits;
    }

    /** Neither a control character, which a terminal may obey, nor a line break, nor half of a character. */
    private static boolean isText(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE ->
                false;
            default -> true;
        };
    }
}
