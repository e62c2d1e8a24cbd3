package io.muster.cli.terminal;

/**
 * A column of a {@link Table}.
 *
 * @param name the column's name in {@code --format}
 * @param right whether cells are aligned to the right, as counts are
 * @param flexible whether the text may be cut, or in the last column wrapped, to fit a terminal
 */
public record Column(String name, String header, boolean right, boolean flexible) {
    /**
     * Returns whether words in this column have colours. Only columns with words of the program's own have them: a host may
     * be named "down", and a reason may be one letter.
     */
    boolean hasColour() {
        return name.startsWith("state") || name.equals("status") || name.equals("up");
    }

    public static Column left(String name, String header) {
        return new Column(name, header, false, false);
    }

    public static Column right(String name, String header) {
        return new Column(name, header, true, false);
    }

    public static Column flexible(String name, String header) {
        return new Column(name, header, false, true);
    }
}
