package io.muster.daemon.cli.render;

/**
 * A column of a {@link Table}.
 *
 * @param name what {@code --format} calls it
 * @param right whether cells stand at the right, as counts do
 * @param flexible whether its text may be cut, or in the last column wrapped, to fit a terminal
 */
public record Column(String name, String header, boolean right, boolean flexible) {
    /** A host may be called down, and a reason be one letter: only where words are the program's own they have colours. */
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
