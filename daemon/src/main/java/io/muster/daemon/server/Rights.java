package io.muster.daemon.server;

import io.muster.protocol.wire.Credentials;

/**
 * What one user may do here.
 *
 * @param acquire whether the configuration names the user as a scheduler
 */
record Rights(Credentials credentials, String user, boolean acquire) {
    /** Neither the owner nor named by the configuration. */
    boolean areAGuests() {
        return !acquire && !allow(Method.Right.CHANGE);
    }

    /** Whether the user's name was found, and not only the number. */
    boolean haveName() {
        return !user.equals(Integer.toUnsignedString(credentials.userid()));
    }

    /** RFC 12 "Credential": one that has neither the owner's role nor a user's is none, whatever else it has. */
    boolean allow(Method.Right right) {
        return credentials.mayUse(Credentials.USER)
                && switch (right) {
                    case READ -> true;
                    case FOLLOW, CHANGE -> credentials.mayUse(Credentials.ADMIN);
                    case ACQUIRE -> acquire || credentials.isOwner();
                };
    }
}
