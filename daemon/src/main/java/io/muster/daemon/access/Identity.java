package io.muster.daemon.access;

import io.muster.inventory.axis.Principal;
import io.muster.protocol.wire.Credentials;

/**
 * A user, the process that acts for the user, and how both are known. The listener supplies the identity; only this package asks for the
 * numbers of the user and the group.
 *
 * @param gid -1 if unknown
 * @param pid 0 if unknown
 */
public record Identity(Source source, int uid, int gid, int pid) {
    public enum Source {
        /** The kernel has reported the user for the socket (SO_PEERCRED). */
        KERNEL,
        /** The owner's message speaks for the user (RFC 12). */
        CLAIMED
    }

    public static Identity ofKernel(int uid, int gid, int pid) {
        return new Identity(Source.KERNEL, uid, gid, pid);
    }

    static Identity ofClaim(Credentials claimed) {
        return new Identity(Source.CLAIMED, claimed.userid(), -1, 0);
    }

    /** The user without the process: equal for all connections of a user with the same group. */
    Identity user() {
        return new Identity(source, uid, gid, 0);
    }

    /** The user as a text: what is counted for each user is counted by it, and the log shows it. */
    public String who() {
        return "uid=" + number();
    }

    /** The user's number, in place of a name that is not known. */
    String number() {
        return Integer.toUnsignedString(uid);
    }

    /** @param name the user's name */
    Principal principal(String name) {
        return new Principal(uid, name, pid);
    }
}
