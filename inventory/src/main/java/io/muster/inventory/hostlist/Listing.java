package io.muster.inventory.hostlist;

import io.muster.inventory.idset.Idset;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** The kind of the items in a list in canonical form. The list may have too many items for a line of text. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
public enum Listing {
    HOSTS("host", list -> Hostlist.parse(list).size()),
    RANKS("rank", list -> Idset.parse(list).size());

    /** The width below which a column with a list is not cut. It has room for some items and the number of the others. */
    public static final int LEAST = 28;

    private final String item;
    private final ToIntFunction<String> count;

    Listing(String item, ToIntFunction<String> count) {
        this.item = item;
        this.count = count;
    }

    /**
     * Returns the list cut to a number of columns, with the number of items that are missing:
     * {@code r000n[00-39],...[9,960 more hosts]}. Words in brackets are an error in every hostlist and idset, so a list that
     * was cut cannot be used as a list by mistake, whether or not a shell splits it at its spaces.
     */
    public String cut(String list, int columns) {
        if (list.codePointCount(0, list.length()) <= columns) {
            return list;
        }
        int all = count.applyAsInt(list);
        int room = columns - missing(all, " more ").length() - "],...".length();
        int end = list.lastIndexOf(',', Math.max(0, room));
        if (end < 0) {
            return missing(all, " ");
        }
        String kept = list.substring(0, end);
        String whole = kept.lastIndexOf('[') > kept.lastIndexOf(']') ? kept + "]" : kept;
        return whole + ",..." + missing(all - count.applyAsInt(whole), " more ");
    }

    private String missing(int number, String more) {
        return String.format(Locale.ROOT, "[%,d%s%s%s]", number, more, item, number == 1 ? "" : "s");
    }
}
