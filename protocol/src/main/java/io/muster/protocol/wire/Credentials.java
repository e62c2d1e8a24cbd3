package io.muster.protocol.wire;

/**
 * The sender of a message and the sender's roles: RFC 12 "Credential", carried in every RFC 3 header. Both numbers are
 * unsigned.
 *
 * @param userid POSIX user id, or {@link #USERID_UNKNOWN}
 * @param rolemask a set of {@link #OWNER}, {@link #USER}, {@link #LOCAL}, {@link #ADMIN}; unknown bits are kept
 */
public record Credentials(int userid, int rolemask) {
    public static final int USERID_UNKNOWN = 0xffffffff;

    /** The owner of the instance, who may do everything. */
    public static final int OWNER = 1;

    /** A guest. */
    public static final int USER = 2;

    /** Connected on this host; not a capability of the user. */
    public static final int LOCAL = 4;

    /** A guest with the right to administer. */
    public static final int ADMIN = 8;

    /** Credentials of a client that leaves both numbers to the server. */
    public static final Credentials UNSET = new Credentials(USERID_UNKNOWN, 0);

    public boolean isOwner() {
        return has(OWNER);
    }

    /** Returns whether the sender has any of these roles. */
    public boolean has(int roles) {
        return (rolemask & roles) != 0;
    }

    /** Returns whether the sender has one of the allowed roles or is the owner (RFC 12 "Service Security Policy"). */
    public boolean mayUse(int allowedRoles) {
        return has(allowedRoles | OWNER);
    }

    /**
     * Returns the credentials that a message counts as having when it arrives over the connection with these credentials (RFC
     * 12 "Credential Assignment"). A guest's messages get the guest's credentials whatever they claim. The owner's claims are
     * accepted, so that a router can vouch for others and a test can act as a guest; the server fills in each half that the
     * owner left unset, as flux-core does.
     */
    public Credentials stamp(Credentials claimed) {
        if (!isOwner()) {
            return this;
        }
        return new Credentials(
                claimed.userid == USERID_UNKNOWN ? userid : claimed.userid,
                claimed.rolemask == 0 ? rolemask : claimed.rolemask);
    }

    /** Returns text such as {@code 1000(owner,local)}, with unknown role bits in hexadecimal. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append(userid == USERID_UNKNOWN ? "unset" : Integer.toUnsignedString(userid));
        char separator = '(';
        separator = append(text, separator, OWNER, "owner");
        separator = append(text, separator, USER, "user");
        separator = append(text, separator, LOCAL, "local");
        separator = append(text, separator, ADMIN, "admin");
        int unknown = rolemask & ~(OWNER | USER | LOCAL | ADMIN);
        if (unknown != 0) {
            text.append(separator).append("0x").append(Integer.toHexString(unknown));
        }
        return rolemask == 0 ? text.toString() : text.append(')').toString();
    }

    private char append(StringBuilder text, char separator, int role, String name) {
        if (!has(role)) {
            return separator;
        }
        text.append(separator).append(name);
        return ',';
    }
}
