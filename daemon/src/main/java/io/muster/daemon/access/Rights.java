package io.muster.daemon.access;

import io.muster.inventory.axis.Principal;
import io.muster.protocol.wire.Credentials;

/**
 * What one user may do here.
 *
 * @param acquire whether the configuration names the user as a scheduler
 */
public record Rights(Identity identity, Credentials credentials, String user, boolean acquire) {
    /** The same rights for another process of the user. */
    Rights of(Identity process) {
        return new Rights(process, credentials, user, acquire);
    }

    /** The author of what the user changes. */
    public Principal principal() {
        return identity.principal(user);
    }

    /** Neither the owner nor named by the configuration. */
    public boolean areAGuests() {
        return !acquire && !allow(Right.CHANGE);
    }

    /** Whether the user's name was found, and not only the number. */
    public boolean haveName() {
        return !user.equals(identity.number());
    }

    /** RFC 12 "Credential": one that has neither the owner's role nor a user's is none, whatever else it has. */
    public boolean allow(Right right) {
        return credentials.mayUse(Credentials.USER)
                && switch (right) {
                    case READ -> true;
                    case FOLLOW, CHANGE -> credentials.mayUse(Credentials.ADMIN);
                    case ACQUIRE -> acquire || credentials.isOwner();
                };
    }
}
