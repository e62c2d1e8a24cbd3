package io.muster.daemon.access;

import java.util.Locale;

/** The rights that methods require. The owner has all of them. */
public enum Right {
    /** To query the inventory. Every user that is admitted has this right. */
    READ,
    /** To follow the journal, which says which user did what. The owner and admins have this right. */
    FOLLOW,
    /** To acquire the resources. The configuration grants it with {@code schedulers}. */
    ACQUIRE,
    /** To change the inventory. The configuration grants it with {@code admins}. */
    CHANGE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
