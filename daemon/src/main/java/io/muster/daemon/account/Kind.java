package io.muster.daemon.account;

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

    boolean isGuest() {
        return this == GUEST || this == STRANGER;
    }
}
