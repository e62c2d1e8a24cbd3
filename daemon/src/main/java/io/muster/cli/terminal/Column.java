package io.muster.cli.terminal;

import io.muster.inventory.hostlist.Listing;
import org.jspecify.annotations.Nullable;

/**
 * A column of a {@link Table}.
 *
 * @param name the column's name in {@code --format}
 * @param right whether cells are aligned to the right, as counts are
 * @param flexible whether the text may be cut, or in the last column wrapped, to fit a terminal
 * @param listing the kind of the elements if the texts are lists; null if they are not. A list is cut in the last column too
 */
public record Column(
        String name,
        String header,
        boolean right,
        boolean flexible,
        @Nullable Listing listing) {
    private static final int LEAST = 10;

    /**
     * Returns whether words in this column have colours. Only columns with words that the program chooses have colours: a
     * host may be named "down", and a reason may be one letter.
     */
    boolean hasColour() {
        return name.startsWith("state") || name.equals("status") || name.equals("up");
    }

    public static Column left(String name, String header) {
        return new Column(name, header, false, false, null);
    }

    public static Column right(String name, String header) {
        return new Column(name, header, true, false, null);
    }

    public static Column flexible(String name, String header) {
        return new Column(name, header, false, true, null);
    }

    public static Column hosts(String name, String header) {
        return new Column(name, header, false, true, Listing.HOSTS);
    }

    public static Column ranks(String name, String header) {
        return new Column(name, header, false, true, Listing.RANKS);
    }

    /**
     * Returns this column, which is the last one or not, without the permission to cut lists.
     *
     * @param last whether the column is the last one, in which a list is wrapped
     */
    public Column whole(boolean last) {
        return listing == null ? this : new Column(name, header, right, last, null);
    }

    /** Returns the least width to which the column may be reduced. */
    int least() {
        return listing == null ? LEAST : Listing.LEAST;
    }

    /** Returns a text of this column cut to a width. */
    String cut(String text, int width) {
        return listing == null ? Printable.cut(text, width) : listing.cut(text, width);
    }
}
