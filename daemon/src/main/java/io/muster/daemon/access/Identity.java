package io.muster.daemon.access;

import io.muster.daemon.config.Grant;
import io.muster.inventory.axis.Principal;
import io.muster.protocol.operation.Right;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A user, the process that acts for the user, and the source of this information. The listener supplies the identity; only
 * this package reads the numbers of the user and the group.
 *
 * @param uid a user of this host, unless {@code named} is not null
 * @param gid -1 if unknown
 * @param pid 0 if unknown
 * @param login the audit login uid, or {@link Principal#NO_LOGIN}
 * @param named the name and rights of an identity that has no uid on this host, or null
 */
public record Identity(
        Source source,
        int uid,
        int gid,
        int pid,
        int login,
        @Nullable Named named) {
    public enum Source {
        /** The kernel has reported the user of the socket's peer (SO_PEERCRED). */
        KERNEL,
        /** The peer has shown the certificate, and that it has the key. */
        CERTIFICATE,
        /** A request carries the token. */
        TOKEN,
        /** A message claims to be from this user (RFC 12), and its sender may speak for others. */
        CLAIMED,
        /** As {@link #CLAIMED}, but for root or the daemon's owner, whose own rights and holds the sender does not get. */
        SQUASHED
    }

    /**
     * An identity that has no uid on this host.
     *
     * @param name {@code cert:NAME}, {@code token:NAME}, or {@code HOST/USER} for a user of another host
     * @param rights the rights that the identity has of itself, beside those that a {@code [[grant]]} gives to the name
     * @param scope what {@code rights} cover
     * @param maker the name of the user for whose page the token was made, or null
     */
    public record Named(
            String name,
            Set<Right> rights,
            Scope scope,
            @Nullable String maker) {
        public Named {
            rights = Set.copyOf(rights);
        }

        /** Returns the name of a user of the host of this relay. */
        String user(int uid, @Nullable String introduced) {
            String user = introduced == null ? Integer.toUnsignedString(uid) : introduced;
            return name.substring(name.indexOf(':') + 1) + "/" + user;
        }
    }

    public static Identity ofKernel(int uid, int gid, int pid) {
        return new Identity(Source.KERNEL, uid, gid, pid, Principal.NO_LOGIN, null);
    }

    /** Returns the identity of a peer whose certificate has this name, which a {@code [[grant]]} names with the CA of the certificate. */
    public static Identity ofCertificate(String name) {
        return ofNamed(Source.CERTIFICATE, Principal.NO_UID, Grant.CERTIFICATE + name, Set.of(), Scope.NONE, null);
    }

    /** @param maker the name of the user for whose page the token was made, or null */
    public static Identity ofToken(String name, Set<Right> rights, Scope scope, @Nullable String maker) {
        return ofNamed(Source.TOKEN, Principal.NO_UID, Grant.TOKEN + name, rights, scope, maker);
    }

    /** Returns the identity of a user of another host, {@code HOST/USER}, who has sent a request through a relay. */
    public static Identity ofUserElsewhere(String name, int uid) {
        return ofClaim(name, uid, false);
    }

    static Identity ofClaim(int uid, boolean squashed) {
        return new Identity(squashed ? Source.SQUASHED : Source.CLAIMED, uid, -1, 0, Principal.NO_LOGIN, null);
    }

    /** Returns the identity of another host's user, for whom a peer with a certificate sends a request. */
    static Identity ofClaim(String name, int uid, boolean squashed) {
        return ofNamed(squashed ? Source.SQUASHED : Source.CLAIMED, uid, name, Set.of(), Scope.NONE, null);
    }

    private static Identity ofNamed(
            Source source, int uid, String name, Set<Right> rights, Scope scope, @Nullable String maker) {
        return new Identity(source, uid, -1, 0, Principal.NO_LOGIN, new Named(name, rights, scope, maker));
    }

    /** Returns the user without the process. The result is equal for all connections of a user with the same group. */
    Identity user() {
        return new Identity(source, uid, gid, 0, Principal.NO_LOGIN, named);
    }

    Identity withLogin(int loginUid) {
        return new Identity(source, uid, gid, pid, loginUid, named);
    }

    /** Returns text that identifies the user, for the log and as the key under which things are counted for each user. */
    public String who() {
        return named == null ? "uid=" + number() : named.name;
    }

    /** Returns whether a token identifies the user. */
    boolean isToken() {
        return source == Source.TOKEN;
    }

    /** Returns whether the token was made for a page. */
    boolean isOfPage() {
        return named != null && named.maker != null;
    }

    /** Returns the name of the user who is charged for the user {@code name}: a token for a page counts for its maker. */
    String payer(String name) {
        return named == null || named.maker == null ? name : named.maker;
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
        Principal user = named == null ? new Principal(uid, name, pid, login) : Principal.ofName(named.name);
        return speaker == null ? user : user.through(speaker, source == Source.SQUASHED);
    }
}
