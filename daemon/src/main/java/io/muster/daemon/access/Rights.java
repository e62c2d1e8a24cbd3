package io.muster.daemon.access;

import io.muster.inventory.axis.Principal;
import io.muster.protocol.wire.Credentials;

/**
 * The rights of one user on this daemon.
 *
 * @param acquire whether the configuration names the user as a scheduler
 */
public record Rights(Identity identity, Credentials credentials, String user, boolean acquire) {
    /** Returns the same rights for another process of the user. */
    Rights of(Identity process) {
        return new Rights(process, credentials, user, acquire);
    }

    /** Returns the author that journal entries name for changes by this user. */
    public Principal principal() {
        return identity.principal(user);
    }

    /** Returns whether the user is a guest: neither the owner nor named by the configuration. */
    public boolean areAGuests() {
        return !acquire && !allow(Right.CHANGE);
    }

    /** Returns whether the user's name was found; otherwise {@link #user} is the number. */
    public boolean haveName() {
        return !user.equals(identity.number());
    }

    /**
     * Returns whether the user has this right. Credentials that have neither the owner's role nor the role of a user give no
     * right, whatever other roles they have (RFC 12 "Credential").
     */
    public boolean allow(Right right) {
        return credentials.mayUse(Credentials.USER)
                && switch (right) {
                    case READ -> true;
                    case FOLLOW, CHANGE -> credentials.mayUse(Credentials.ADMIN);
                    case ACQUIRE -> acquire || credentials.isOwner();
                };
    }
}
