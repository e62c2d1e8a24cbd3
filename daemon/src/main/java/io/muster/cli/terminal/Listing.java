package io.muster.cli.terminal;

import io.muster.inventory.hostlist.Hostlist;
import io.muster.inventory.idset.Idset;
import java.util.Locale;
import java.util.function.ToIntFunction;

/** What a list in canonical form consists of, if the list may have too many items for a terminal. */
@SuppressWarnings("ImmutableEnumChecker") // the functions have no state
enum Listing {
    HOSTS("hosts", list -> Hostlist.parse(list).size()),
    RANKS("ranks", list -> Idset.parse(list).size());

    /** The width below which a column with a list is not cut: some items, and the number of the others. */
    static final int LEAST = 28;

    private final String items;
    private final ToIntFunction<String> count;

    Listing(String items, ToIntFunction<String> count) {
        this.items = items;
        this.count = count;
    }

    /**
     * Returns the list cut to a number of columns, with the number of items that are missing:
     * {@code r000n[00-39],...[9,960 more hosts]}. Words in brackets are an error in every hostlist and idset, so a list that
     * was cut cannot be used as a list by mistake, whether or not a shell splits it at its spaces.
     */
    String cut(String list, int columns) {
        if (Printable.width(list) <= columns) {
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
        return String.format(Locale.ROOT, "[%,d%s%s]", number, more, items);
    }
}
