package io.muster.daemon.cli.render;

/**
 * What may be used to make output easier to read.
 *
 * @param color whether colours and weights are understood
 * @param marks whether ✔ and ✗ can be shown, else y and n
 * @param width columns to fit in; 0 for any number
 */
public record Style(boolean color, boolean marks, int width) {
    /** For pipes and files. */
    public static final Style PLAIN = new Style(false, true, 0);

    private static final String RED = "\033[31m";
    private static final String GREEN = "\033[32m";
    private static final String YELLOW = "\033[33m";
    private static final String BOLD = "\033[1m";
    private static final String OFF = "\033[0m";

    public String mark(boolean up) {
        if (marks) {
            return up ? "✔" : "✗";
        }
        return up ? "y" : "n";
    }

    /** A word of a table in the colour of its meaning, or as it is; {@code padded} is the same with spaces. */
    String paint(String word, String padded) {
        if (!color) {
            return padded;
        }
        String code = code(word);
        return code.isEmpty() ? padded : code + padded + OFF;
    }

    String header(String line) {
        return color ? BOLD + line + OFF : line;
    }

    private static String code(String word) {
        return switch (word) {
            case "✔", "y", "online", "free" -> GREEN;
            case "✗", "n", "offline", "down", "lost" -> RED;
            case "drained", "draining", "torpid", "exclude" -> YELLOW;
            default -> word.endsWith("*") ? RED : "";
        };
    }
}
