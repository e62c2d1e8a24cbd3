package io.muster.daemon.access;

import io.muster.inventory.axis.Principal;
import org.jspecify.annotations.Nullable;

/**
 * A user, the process that acts for the user, and the source of this information. The listener supplies the identity; only
 * this package reads the numbers of the user and the group.
 *
 * @param gid -1 if unknown
 * @param pid 0 if unknown
 * @param login the audit login uid, or {@link Principal#NO_LOGIN}
 */
public record Identity(Source source, int uid, int gid, int pid, int login) {
    public enum Source {
        /** The kernel has reported the user of the socket's peer (SO_PEERCRED). */
        KERNEL,
        /** A message claims to be from this user (RFC 12), and its sender may speak for others. */
        CLAIMED,
        /** As {@link #CLAIMED}, for a user whose own rights and holds the sender does not get: root, or the daemon's owner. */
        SQUASHED
    }

    public static Identity ofKernel(int uid, int gid, int pid) {
        return new Identity(Source.KERNEL, uid, gid, pid, Principal.NO_LOGIN);
    }

    static Identity ofClaim(int uid, boolean squashed) {
        return new Identity(squashed ? Source.SQUASHED : Source.CLAIMED, uid, -1, 0, Principal.NO_LOGIN);
    }

    /** Returns the user without the process. The result is equal for all connections of a user with the same group. */
    Identity user() {
        return new Identity(source, uid, gid, 0, Principal.NO_LOGIN);
    }

    Identity withLogin(int loginUid) {
        return new Identity(source, uid, gid, pid, loginUid);
    }

    /** Returns text that identifies the user, for the log and as the key under which things are counted for each user. */
    public String who() {
        return "uid=" + number();
    }

    /** Returns the user's number as text, which stands in for an unknown name. */
    String number() {
        return Integer.toUnsignedString(uid);
    }

    /**
     * Returns the author that journal entries name.
     *
     * @param name the user's name
     * @param speaker the author of the message, if it claims to be from this user
     */
    Principal principal(String name, @Nullable Principal speaker) {
        Principal user = new Principal(uid, name, pid, login);
        return speaker == null ? user : user.through(speaker, source == Source.SQUASHED);
    }
}
