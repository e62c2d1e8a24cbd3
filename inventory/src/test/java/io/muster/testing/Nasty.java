package io.muster.testing;

import java.util.Locale;
import java.util.Random;

/** Strings and values that often cause faults in programs, as JSON text. */
public final class Nasty {
    private static final String[] PIECES = {
        "\0", "\33[2J", "\33]0;x\7", "\r", "\n", "\t", "\u007f", "\u0085", "\u009b31m", "\u202e", "\u2066", "\u2028",
                "\u2029", "\ufeff",
        "\ud800", "\udc00", "\ud83d\ude00", "é", "\"", "\\", "/", "a", "node0", "^", "!", " ", "\uffff", "\u200f"
    };
    private static final String[] VALUES = {
        "9223372036854775807", "-9223372036854775808", "1e308", "1.5", "-0", "null", "true", "[]", "{}", "\"\"", "7"
    };
    private static final String[] FOREIGN_VALUES = {
        "9223372036854775808", "-99999999999999999999", "1e999", "-1.5e400", "123456789012345678901234567890.5e300"
    };

    private Nasty() {}

    public static String string(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4); i >= 0; i--) {
            text.append(PIECES[random.nextInt(PIECES.length)]);
        }
        return text.toString();
    }

    /** Returns the string as JSON. A character that needs no escape is escaped at random. */
    public static String quoted(String string, Random random) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            boolean mustEscape = c < ' ' || c == '"' || c == '\\' || Character.isSurrogate(c);
            out.append(mustEscape || random.nextBoolean() ? String.format(Locale.ROOT, "\\u%04x", (int) c) : c);
        }
        return out.append('"').toString();
    }

    public static String quoted(Random random) {
        return quoted(string(random), random);
    }

    /** Returns a JSON value, which may be nested. Some values are not accepted by libjansson. */
    public static String value(Random random, int depth) {
        return switch (random.nextInt(depth > 0 ? 7 : 4)) {
            case 0 -> FOREIGN_VALUES[random.nextInt(FOREIGN_VALUES.length)];
            case 1, 2 -> VALUES[random.nextInt(VALUES.length)];
            case 3 -> quoted(random);
            case 4 -> "[" + value(random, depth - 1) + "," + value(random, depth - 1) + "]";
            // The two keys may be equal: JSON does not forbid this, but Muster does.
            default ->
                "{" + quoted(random) + ":" + value(random, depth - 1) + ",\"k" + random.nextInt(9) + "\":"
                        + value(random, depth - 1) + "}";
        };
    }
}
