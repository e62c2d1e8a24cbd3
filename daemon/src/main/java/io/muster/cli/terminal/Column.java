package io.muster.cli.terminal;

import io.muster.inventory.hostlist.Listing;
import org.jspecify.annotations.Nullable;

/**
 * A column of a {@link Table}.
 *
 * @param name the column's name in {@code --format}
 * @param right whether cells are aligned to the right, as counts are
 * @param least the width to which the text may be cut, or in the last column wrapped, to fit a terminal; 0 if it may not be
 * @param optional whether a table for which the terminal is too narrow may leave the column out
 * @param listing the kind of the elements if the texts are lists; null if they are not. A list is cut in the last column too
 */
public record Column(
        String name,
        String header,
        boolean right,
        int least,
        boolean optional,
        @Nullable Listing listing) {
    /** The width to which a text is cut if the table would otherwise be too wide for the terminal. */
    private static final int NARROWEST = 10;

    private static final int LEAST_REASON = 20;
    /** The width of a list of which only the number of items is shown. */
    private static final int NARROWEST_LIST = 14;

    /**
     * Returns whether words in this column have colours. Only columns with words that the program chooses have colours: a
     * host may be named "down", and a reason may be one letter.
     */
    boolean hasColour() {
        return name.startsWith("state") || name.equals("status") || name.equals("up");
    }

    public static Column left(String name, String header) {
        return new Column(name, header, false, 0, false, null);
    }

    public static Column right(String name, String header) {
        return new Column(name, header, true, 0, false, null);
    }

    public static Column flexible(String name, String header) {
        return new Column(name, header, false, NARROWEST, false, null);
    }

    public static Column reason() {
        return new Column("reason", "REASON", false, LEAST_REASON, false, null);
    }

    public static Column hosts(String name, String header) {
        return new Column(name, header, false, Listing.LEAST, false, Listing.HOSTS);
    }

    public static Column ranks(String name, String header) {
        return new Column(name, header, false, Listing.LEAST, false, Listing.RANKS);
    }

    /** Returns this column, which a table may leave out or not. */
    public Column optional(boolean may) {
        return new Column(name, header, right, least, may, listing);
    }

    /**
     * Returns this column, which is the last one or not, without the permission to cut lists.
     *
     * @param last whether the column is the last one, in which a list is wrapped
     */
    public Column whole(boolean last) {
        return listing == null ? this : new Column(name, header, right, last ? NARROWEST : 0, optional, null);
    }

    /** Returns the width to which the column may be reduced if the table is still too wide with {@link #least}. */
    int narrowest() {
        return Math.min(least, listing == null ? NARROWEST : NARROWEST_LIST);
    }

    /** Returns a text of this column cut to a width. */
    String cut(String text, int width) {
        return listing == null ? Printable.cut(text, width) : listing.cut(text, width);
    }
}
