package io.muster.daemon.server;

import io.muster.protocol.wire.Credentials;

/**
 * What one user may do here.
 *
 * @param acquire whether the configuration names the user as a scheduler
 */
record Rights(Credentials credentials, String user, boolean acquire) {
    boolean allow(Method.Right right) {
        return credentials.isOwner()
                || switch (right) {
                    case READ -> true;
                    case FOLLOW, CHANGE -> credentials.has(Credentials.ADMIN);
                    case ACQUIRE -> acquire;
                };
    }
}
