package io.muster.daemon.server;

import io.muster.protocol.wire.Credentials;

/**
 * What one user may do here.
 *
 * @param acquire whether the configuration names the user as a scheduler
 */
record Rights(Credentials credentials, String user, boolean acquire) {
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
