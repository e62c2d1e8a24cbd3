package io.muster.cli.terminal;

/**
 * The means that output may use to be easier to read.
 *
 * @param color whether colours and bold text may be used
 * @param marks whether ✔ and ✗ may be used; otherwise y and n are
 * @param width number of columns; 0 for no limit
 */
public record Style(boolean color, boolean marks, int width) {
    /** The style for pipes and files. */
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

    /**
     * Returns the cell {@code padded}, which has {@code word} and spaces, in the colour of the word. Returns the cell
     * unchanged if the word has no colour.
     */
    public String paint(String word, String padded) {
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
            case "✔", "y", "online", "up", "free" -> GREEN;
            case "✗", "n", "offline", "down", "failing", "lost" -> RED;
            case "drained", "draining", "torpid", "excluded", "degraded", "mixed" -> YELLOW;
            default -> word.endsWith(",offline") ? RED : "";
        };
    }
}
