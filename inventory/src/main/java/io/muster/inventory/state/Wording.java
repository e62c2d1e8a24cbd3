package io.muster.inventory.state;

import io.muster.inventory.problem.Text;
import org.jspecify.annotations.Nullable;

/**
 * Checks text that a user gives for a change, such as a reason. The text appears in journals, logs and tables, so it must be
 * one line of limited length.
 */
final class Wording {
    /** The highest number of characters, counted in code points. */
    private static final int LONGEST = 4096;

    private Wording() {}

    /**
     * Returns what is wrong with a text, or null.
     *
     * @param noun what the text is, such as "reason"
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
            if (!Text.isText(character)) {
                return "the " + noun + " must be one line of text, but character " + at + " is " + Text.name(character);
            }
        }
        return null;
    }
}
