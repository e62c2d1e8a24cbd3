package io.muster.daemon.access;

import java.util.Locale;

/** What a peer needs to be allowed. The owner has them all. */
public enum Right {
    /** Anybody who is let in. */
    READ,
    /** The journal: it says who did what. */
    FOLLOW,
    /** {@code schedulers} in the configuration. */
    ACQUIRE,
    /** {@code admins} in the configuration. */
    CHANGE;

    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
