package io.muster.daemon.account;

import org.jspecify.annotations.Nullable;

/** The kinds of user, which differ in their limits. */
public enum Kind {
    /** The daemon's owner, and root if root has the owner's rights. */
    OWNER,
    /** A user who sends requests for others, such as a relay. */
    SPEAKER,
    /** A user whom the configuration names. */
    USER,
    /** A user whom the configuration does not name. */
    GUEST,
    /** The address of a peer that is not authenticated. */
    STRANGER,
    /** A user for whom a speaker sends requests. */
    NESTED;

    /** Returns the name of the account for those beyond a number; null if each has an account, because the configuration names them. */
    @Nullable
    String shared(int most) {
        return switch (this) {
            case GUEST ->
                "the shared account of all guests beyond " + most + " (a grant gives a user an account of its own)";
            case STRANGER -> "the shared account of all addresses beyond " + most;
            default -> null;
        };
    }

    boolean isGuest() {
        return this == GUEST || this == STRANGER;
    }
}
